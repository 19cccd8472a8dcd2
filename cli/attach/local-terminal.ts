/** The terminal this process runs in. It is in raw mode while attached, and restored afterwards. */
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Size } from '../../protocol/frame.ts';
import { SIZE_MAX_CELLS } from '../../protocol/limits.ts';
import { UsageError } from '../command-line/usage-error.ts';

const STDOUT = 1;

interface TerminalEvents {
  typed(bytes: Uint8Array): void;
  resized(size: Size): void;
  /** The window was closed. */
  hungUp(): void;
}

export class LocalTerminal {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #listening = new AbortController();
  /** What to write if the process exits without `close`. */
  readonly #lastWords: () => string;

  private constructor(input: ReadStream, output: WriteStream, lastWords: () => string) {
    this.#input = input;
    this.#output = output;
    this.#lastWords = lastWords;
  }

  /** Starts reading key by key. `lastWords` resets the terminal's modes if the process is ended. */
  static open(events: TerminalEvents, lastWords: () => string): LocalTerminal {
    const { stdin, stdout } = process;
    if (!stdin.isTTY || !stdout.isTTY)
      throw new UsageError('this needs a terminal; for scripts there are send, snapshot and wait');
    const terminal = new LocalTerminal(stdin, stdout, lastWords);
    terminal.#listen(events);
    return terminal;
  }

  get size(): Size {
    const { columns, rows } = this.#output;
    return { cols: within(columns || 80), rows: within(rows || 24) };
  }

  /** `written` is called in order, once the terminal has taken the text. */
  write(text: string, written?: () => void): void {
    this.#output.write(text, written);
  }

  /** Stops reading keys and leaves raw mode. */
  close(): void {
    this.#listening.abort();
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  #listen(events: TerminalEvents): void {
    const { signal } = this.#listening;
    const on = (emitter: NodeJS.EventEmitter, event: string, listener: (...args: never[]) => void) => {
      emitter.on(event, listener as (...args: unknown[]) => void);
      signal.addEventListener('abort', () => emitter.off(event, listener as (...args: unknown[]) => void));
    };
    this.#input.setRawMode(true);
    on(this.#input, 'data', (bytes: Uint8Array) => events.typed(bytes));
    on(this.#input, 'end', () => events.hungUp());
    on(this.#input, 'error', () => events.hungUp());
    on(this.#output, 'resize', () => events.resized(this.size));
    on(process, 'exit', () => {
      try {
        writeSync(STDOUT, this.#lastWords());
      } catch {
        // The terminal is gone, so there is nothing to restore.
      }
    });
    this.#input.resume();
  }
}

function within(cells: number): number {
  return Math.min(cells, SIZE_MAX_CELLS);
}
