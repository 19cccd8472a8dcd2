/**
 * What workerd prints, line by line, with repeats folded: an exception that comes with every request must not fill the
 * disk. Pure but for the clock.
 *
 * Within a minute a line is written a few times and then only counted; how often is written at the end of the minute.
 * Lines that differ in numbers alone (addresses, times, positions) count as the same. JSON lines are the Worker's own
 * log and are written as they are.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

export const FOLD_WITHIN_MS = 60_000;

/** Enough to see that it happens again, and how far apart. */
export const SAME_MAX = 5;

/** Kinds of lines in a minute. A stack trace has about ten; beyond this many, lines are only counted. */
export const KINDS_MAX = 200;

/** Longer lines are cut. */
export const LINE_MAX_CHARS = 8_192;

interface Kind {
  readonly line: string;
  count: number;
}

export class FoldedLog {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #kinds = new Map<string, Kind>();
  #others = 0;
  #partial = '';
  #endOfMinute: Cancel | null = null;

  constructor(clock: Clock, write: (line: string) => void) {
    this.#clock = clock;
    this.#write = write;
  }

  read(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = (lines.pop() ?? '').slice(0, LINE_MAX_CHARS);
    for (const line of lines) this.#line(line.trimEnd().slice(0, LINE_MAX_CHARS));
  }

  /** Writes what is left. */
  close(): void {
    this.#endOfMinute?.();
    this.#line(this.#partial);
    this.#partial = '';
    this.#tellCounts();
  }

  #line(line: string): void {
    if (line === '') return;
    if (line.startsWith('{')) return this.#write(line);
    this.#endOfMinute ??= this.#clock.after(FOLD_WITHIN_MS, () => this.#tellCounts());
    const key = line.replace(/\b(0x)?[\da-f]*\d[\da-f]*\b/gi, '#');
    const kind = this.#kinds.get(key);
    if (kind === undefined && this.#kinds.size >= KINDS_MAX) this.#others++;
    else if (kind === undefined) {
      this.#kinds.set(key, { line, count: 1 });
      this.#write(line);
    } else if (++kind.count <= SAME_MAX) this.#write(line);
  }

  #tellCounts(): void {
    this.#endOfMinute = null;
    for (const { line, count } of this.#kinds.values())
      if (count > SAME_MAX) this.#write(`${line} (${count - SAME_MAX} more like this within a minute)`);
    if (this.#others > 0) this.#write(`${this.#others} more lines of other kinds within a minute`);
    this.#kinds.clear();
    this.#others = 0;
  }
}
