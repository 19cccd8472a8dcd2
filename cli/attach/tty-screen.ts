/**
 * Shows a session on the user's own terminal: passes on what draws, clears the screen before a replay, and resets modes
 * at the end.
 */

import type { Screen } from '../../client/screen.ts';
import type { Size } from '../../protocol/frame.ts';
import { Drawing } from './drawing.ts';

interface TtyOutput {
  readonly size: Size;
  write(text: string, written?: () => void): void;
}

/** Resets everything a program may have set to what a shell expects. The order does not matter. */
export const PLAIN = [
  '\x1b[?9;1000;1002;1003;1005;1006;1015;1016l', // mouse
  '\x1b[?2004;2026l', // bracketed paste, synchronized output
  '\x1b[?1;5;6;45;66l\x1b[?7;25h\x1b[4;20l\x1b>', // keys, reverse video, origin; wrap and cursor on; insert off
  '\x1b[r\x1b[0 q\x1b[0m\x1b[0"q', // margins, cursor's shape, colours, protection
  '\x1b(B\x1b)B\x0f', // character sets
  '\x1b[?5W', // tab stops at every eighth column, in terminals that know this sequence
  '\x1b]8;;\x1b\\\x1b]104\x1b\\\x1b]110\x1b\\\x1b]111\x1b\\\x1b]112\x1b\\', // link, palette
].join('');

/** The same tab stops one by one, for all other terminals. The cursor stays where it is. */
function tabStops(cols: number): string {
  const stops = Array.from({ length: Math.ceil(cols / 8) - 1 }, (_, at) => `\x1b[${8 * (at + 1) + 1}G\x1bH`);
  return `\x1b7\x1b[3g${stops.join('')}\x1b8`;
}

export class TtyScreen implements Screen {
  readonly #output: TtyOutput;
  readonly #drawing: Drawing;
  readonly #fitted: () => void;
  #hasBegun = false;
  #drawnFor: Size | null = null;
  #isMisfit = false;

  /** `fitted` is called when the screen has the window's size again, after it was drawn for another one. */
  constructor(output: TtyOutput, fitted: () => void = () => {}) {
    this.#output = output;
    this.#fitted = fitted;
    this.#drawing = new Drawing(() => output.size, { hasKeyboard: true });
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#begin();
    this.#output.write(this.#drawing.take(bytes), shown);
  }

  reset(): void {
    this.#begin();
    this.#output.write(`${this.plain()}\x1b[H\x1b[2J`);
    this.#drawing.reset();
  }

  /**
   * The user decides the window's size; the program follows it while this client is the driver. Output drawn for
   * another size has wrapped and scrolled in the wrong places, and no terminal can undo that.
   */
  resize(size: Size): void {
    this.#drawnFor = size;
    const { cols, rows } = this.#output.size;
    const isMisfit = size.cols !== cols || size.rows !== rows;
    if (this.#isMisfit && !isMisfit) this.#fitted();
    this.#isMisfit = isMisfit;
  }

  /** Whether the window is too small for the whole screen. */
  get isTooSmall(): boolean {
    const { cols, rows } = this.#output.size;
    return this.#drawnFor !== null && (this.#drawnFor.cols > cols || this.#drawnFor.rows > rows);
  }

  /** The sequences that restore the terminal's modes, leaving its content. */
  plain(): string {
    const { alternate, hasMovedTabs } = this.#drawing;
    const leave = alternate === null ? '' : `\x1b[?${alternate}l`;
    return (
      this.#drawing.plainKeyboard(leave) + PLAIN + (hasMovedTabs ? tabStops(this.#output.size.cols) : '')
    );
  }

  /** Resets the terminal's modes and puts the cursor below the content. */
  close(): void {
    if (!this.#hasBegun) return;
    this.#output.write(`${this.plain()}\x1b[${this.#output.size.rows};1H\r\n`);
    this.#drawing.reset();
  }

  /** Scrolls the window's previous content into its history, so that it is not overwritten. */
  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#output.write(`\x1b[${this.#output.size.rows};1H${'\n'.repeat(this.#output.size.rows)}\x1b[H`);
  }
}
