/**
 * Reports the state of the connection on stderr. If stderr is the terminal, it is drawn over the last row, and only
 * after a delay, so that a short interruption leaves no trace; the row is redrawn afterwards. Otherwise it is written
 * as lines.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import { SENTENCE_MAX_CHARS } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';

/** Shorter interruptions are over before anybody could read about them. */
const SHOWN_AFTER_MS = 1_000;

interface StatusOutput {
  readonly isTerminal: boolean;
  readonly size: Size;
  write(text: string): void;
}

export class TerminalStatusLine {
  readonly #output: StatusOutput;
  readonly #clock: Clock;
  readonly #covers: () => void;
  #said: string | null = null;
  #isDrawn = false;
  #later: Cancel | undefined;

  /** `covers` is called before the status line is first drawn over the screen. */
  constructor(output: StatusOutput, clock: Clock, covers: () => void) {
    this.#output = output;
    this.#clock = clock;
    this.#covers = covers;
  }

  /** Null means connected. The text may quote the relay. */
  tell(news: string | null): void {
    const status = news === null ? null : printable(news, SENTENCE_MAX_CHARS);
    if (status === this.#said) return;
    this.#said = status;
    if (!this.#output.isTerminal) {
      this.#output.write(`holdfast: ${status ?? 'connected'}\n`);
    } else if (status === null) {
      this.close();
    } else if (this.#isDrawn) {
      this.#draw();
    } else {
      this.#later ??= this.#clock.after(SHOWN_AFTER_MS, () => {
        this.#isDrawn = true;
        this.#covers();
        this.#draw();
      });
    }
  }

  close(): void {
    this.#later?.();
    this.#later = undefined;
    this.#isDrawn = false;
  }

  /** Saves and restores the cursor position, colours and origin mode. */
  #draw(): void {
    const { cols, rows } = this.#output.size;
    const text = ` ${printable(`holdfast: ${this.#said ?? ''}`, cols - 1)} `.slice(0, cols);
    this.#output.write(`\x1b7\x1b[?6l\x1b[${rows};1H\x1b[0;7m\x1b[2K${text}\x1b8`);
  }
}
