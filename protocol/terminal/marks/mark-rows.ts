/**
 * Follows the marks of a terminal's shell, in the agent's terminal and in the page's, so that both have the same.
 *
 * xterm has markers for this, but each of them is called for every line that scrolls: with three for each of 200
 * commands, scrolling would take longer than parsing. Here one listener counts the lines.
 */
import { CommandRows, type MarkState } from './command-rows.ts';
import { MARK_CODES, parseMark } from './mark.ts';

/** The parts of xterm that are used here, in the page or headless. */
interface MarkedTerminal {
  readonly cols: number;
  readonly parser: { registerOscHandler(code: number, handle: (data: string) => boolean): unknown };
  onResize(listener: () => void): unknown;
}

interface MarkedBuffer {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly lines: {
    readonly length: number;
    onTrim(listener: (rows: number) => void): unknown;
    onInsert(listener: (event: RowsEvent) => void): unknown;
    onDelete(listener: (event: RowsEvent) => void): unknown;
  };
  /** xterm calls this for every row that it erases. */
  clearMarkers(row: number): void;
}

interface RowsEvent {
  readonly index: number;
  readonly amount: number;
}

export interface MarkedCore {
  readonly buffers: {
    readonly normal: MarkedBuffer;
    readonly active: unknown;
    onBufferActivate(listener: () => void): unknown;
  };
}

export class MarkRows {
  readonly #terminal: MarkedTerminal;
  readonly #core: MarkedCore;
  readonly #rows = new CommandRows();
  readonly #changed: () => void;
  #buffer: MarkedBuffer;
  #nonce: string | null = null;

  /** `changed` is called after a mark that counts, not when rows move. */
  constructor(terminal: MarkedTerminal, core: MarkedCore, changed: () => void = () => {}) {
    this.#terminal = terminal;
    this.#core = core;
    this.#changed = changed;
    this.#buffer = core.buffers.normal;
    this.#follow();
    // A reset replaces the buffers, and with them everything in them.
    core.buffers.onBufferActivate(() => this.#followAnother());
    terminal.onResize(() => this.#rows.resized(this.#buffer.lines.length, terminal.cols));
    for (const code of MARK_CODES)
      terminal.parser.registerOscHandler(code, (data) => {
        const mark = parseMark(code, data);
        if (mark !== null) this.#take(mark);
        return true;
      });
  }

  get state(): MarkState {
    return this.#rows.state;
  }

  /** The session's nonce, which marks have that are verified; null if it has none. */
  get nonce(): string | null {
    return this.#nonce;
  }

  get isEmpty(): boolean {
    return this.#rows.isEmpty;
  }

  get isAtPrompt(): boolean {
    return this.#rows.isAtPrompt;
  }

  /** What is printed next belongs to a session with this nonce. */
  begin(nonce: string | null): void {
    this.#nonce = nonce;
    this.#rows.begin();
    this.#changed();
  }

  #take(mark: NonNullable<ReturnType<typeof parseMark>>): void {
    const { x: column, y, ybase } = this.#buffer;
    const isShown = this.#core.buffers.active === this.#buffer;
    const place = isShown ? { row: ybase + y, column, cols: this.#terminal.cols } : null;
    // A printed file may have thousands of marks, and the page asks the agent again after each that counts.
    if (this.#rows.take(mark, this.#nonce, place)) this.#changed();
  }

  #followAnother(): void {
    if (this.#core.buffers.normal === this.#buffer) return;
    this.#buffer = this.#core.buffers.normal;
    this.#rows.clear();
    this.#follow();
    this.#changed();
  }

  #follow(): void {
    const buffer = this.#buffer;
    const rows = this.#rows;
    const isCurrent = () => buffer === this.#buffer;
    buffer.lines.onTrim((count) => rows.trimmed(count));
    buffer.lines.onInsert(({ index, amount }) => isCurrent() && rows.inserted(index, amount));
    buffer.lines.onDelete(({ index, amount }) => isCurrent() && rows.deleted(index, amount));
    const clearMarkers = buffer.clearMarkers.bind(buffer);
    buffer.clearMarkers = (row) => {
      clearMarkers(row);
      rows.erased(row, buffer.ybase + buffer.y);
    };
  }
}
