/** A real terminal without a page. It provides what a client shows as lines of text, including the history. */
import xterm from '@xterm/headless';
import type { Screen } from '../../client/screen.ts';
import type { Size } from '../../protocol/frame.ts';
import { type MeasuringCore, WidthMode } from '../../protocol/terminal/width/width-mode.ts';
import { CharacterJoiner } from '../../protocol/utf8.ts';
import { Sightings } from './sightings.ts';

export class TerminalScreen implements Screen {
  readonly #terminal: xterm.Terminal;
  readonly #characters = new CharacterJoiner();
  readonly #sightings = new Sightings(() => this.text);
  /** Undefined for a terminal that nobody has told how to measure text. */
  #widths: WidthMode | undefined;
  resets = 0;

  /** `prepare` may add what a page adds to its terminal. */
  constructor(size: Size, prepare: (terminal: xterm.Terminal) => void = () => {}) {
    this.#terminal = new xterm.Terminal({ ...size, scrollback: 5000, allowProposedApi: true });
    prepare(this.#terminal);
  }

  get size(): Size {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  get modes(): xterm.IModes {
    return this.#terminal.modes;
  }

  /** Whether the alternate screen is shown, which full-screen programs use. */
  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Everything from the first line of the history to the last that is not empty. */
  get text(): string {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let row = 0; row < active.length; row++) {
      const line = active.getLine(row);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped) lines.push(`${lines.pop() ?? ''}${text}`);
      else lines.push(text);
    }
    return lines.join('\n').trimEnd();
  }

  /** The visible rows, without the blank ones at the end. */
  get visible(): string {
    const { active } = this.#terminal.buffer;
    const rows = Array.from(
      { length: this.#terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    );
    return rows.join('\n').trimEnd();
  }

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#terminal.write(this.#characters.take(bytes), () => {
      shown();
      this.#sightings.changed();
    });
  }

  reset(): void {
    this.resets++;
    this.#characters.reset();
    this.#terminal.write('', () => {
      this.#terminal.reset();
      this.#widths?.reset();
    });
  }

  resize({ cols, rows }: Size): void {
    this.#terminal.write('', () => this.#terminal.resize(cols, rows));
  }

  measure(widths: string): void {
    const { _core: core } = this.#terminal as unknown as { readonly _core: MeasuringCore };
    this.#terminal.write('', () => {
      this.#widths ??= new WidthMode(this.#terminal, core);
      this.#widths.begin(widths);
    });
  }

  /** Resolves when everything written so far is drawn. */
  drawn(): Promise<void> {
    return new Promise((resolve) => this.#terminal.write('', resolve));
  }

  /** Resolves when `pattern` is shown; if it never is, the test times out. */
  sees(pattern: RegExp): Promise<RegExpMatchArray> {
    return this.#sightings.of(pattern);
  }
}
