/**
 * Limits what workerd logs by folding repeated lines, so that an exception on every request does not fill the disk.
 * Pure except for the clock.
 *
 * Within a minute a line is written a few times and then only counted; the count is written at the end of the minute.
 * Lines that differ only in numbers (addresses, times, positions), or in a value that the runtime quotes at their end,
 * count as the same: workerd quotes the Host header or the address of a request that it cannot read, which anybody may
 * send. Reading a line takes time in proportion to its length, because workerd waits while its log is not read.
 *
 * The Worker's own lines, which are JSON, have a higher limit and are counted separately: other lines never keep a new
 * kind of them from being written, and their counts are written as JSON too.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

export const FOLD_WITHIN_MS = 60_000;

/** Enough to see that the line repeats, and how often. */
export const SAME_MAX = 5;

/** The limit for the Worker's own lines, which do not say whom they are about: agents of a busy relay come and go. */
export const OWN_SAME_MAX = 30;

/** Kinds of lines per minute. A stack trace has about ten; beyond this many, new kinds are only counted. */
export const KINDS_MAX = 200;

/** Longer lines are cut. */
export const LINE_MAX_CHARS = 2_048;

/** What the runtime quotes: `; host = …`, `; url = …`. */
const QUOTED = /; \w+ = .*/s;

const HEXADECIMAL = /^(?:0x)?[\da-f]+$/i;
const DIGIT = /\d/;

/** The part of a line that all lines of its kind have in common. */
export function kindOf(line: string): string {
  return line
    .replace(QUOTED, '')
    .replace(/\w+/g, (word) => (DIGIT.test(word) && HEXADECIMAL.test(word) ? '#' : word));
}

interface Kind {
  readonly line: string;
  count: number;
}

/** The kinds of one category of lines within a minute. */
class Kinds {
  readonly #kinds = new Map<string, Kind>();
  readonly #sameMax: number;
  #others = 0;

  constructor(sameMax: number) {
    this.#sameMax = sameMax;
  }

  /** Whether the line is to be written, not only counted. */
  count(line: string): boolean {
    const key = kindOf(line);
    const kind = this.#kinds.get(key);
    if (kind !== undefined) return ++kind.count <= this.#sameMax;
    if (this.#kinds.size >= KINDS_MAX) {
      this.#others++;
      return false;
    }
    this.#kinds.set(key, { line, count: 1 });
    return true;
  }

  /** What was only counted since the last call: the first line of each kind, or null for all others, and how many. */
  takeUnwritten(): { readonly line: string | null; readonly more: number }[] {
    const unwritten: { line: string | null; more: number }[] = [];
    for (const { line, count } of this.#kinds.values())
      if (count > this.#sameMax) unwritten.push({ line, more: count - this.#sameMax });
    if (this.#others > 0) unwritten.push({ line: null, more: this.#others });
    this.#kinds.clear();
    this.#others = 0;
    return unwritten;
  }
}

export class FoldedLog {
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #texts = new Kinds(SAME_MAX);
  readonly #own = new Kinds(OWN_SAME_MAX);
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

  /** Writes what is pending. */
  close(): void {
    this.#endOfMinute?.();
    this.#line(this.#partial);
    this.#partial = '';
    this.#tellCounts();
  }

  #line(line: string): void {
    if (line === '') return;
    this.#endOfMinute ??= this.#clock.after(FOLD_WITHIN_MS, () => this.#tellCounts());
    const kinds = wordsOf(line) === null ? this.#texts : this.#own;
    if (kinds.count(line)) this.#write(line);
  }

  #tellCounts(): void {
    this.#endOfMinute = null;
    for (const { line, more } of this.#texts.takeUnwritten())
      this.#write(
        line === null
          ? `${more} more lines of other kinds within a minute`
          : `${line} (${more} more like this within a minute)`,
      );
    for (const { line, more } of this.#own.takeUnwritten()) {
      const words = line === null ? { level: 'warn', event: 'others' } : wordsOf(line);
      this.#write(JSON.stringify({ ...words, more, withinMs: FOLD_WITHIN_MS }));
    }
  }
}

/**
 * The string fields of one of the Worker's own lines; its numbers belong to a single event. Null for any other line.
 */
function wordsOf(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    const fields = Object.entries(JSON.parse(line) as Record<string, unknown>);
    return Object.fromEntries(fields.filter(([, value]) => typeof value === 'string'));
  } catch {
    return null;
  }
}
