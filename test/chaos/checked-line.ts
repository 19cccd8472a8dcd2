/**
 * The lines a checked program prints: numbered and with a checksum, so that whoever reads them can tell whether
 * one was lost, doubled, moved or altered, and what the program has been typed so far.
 *
 *   <number> tick - <crc>
 *   <number> heard <bytes typed so far>:<their SHA-256, shortened> <crc>
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface CheckedLine {
  readonly number: number;
  readonly kind: string;
  readonly what: string;
}

/** The terminal puts a carriage return before the newline. */
export function printLine({ number, kind, what }: CheckedLine): string {
  const text = `${number} ${kind} ${what}`;
  return `${text} ${checksum(text)}\n`;
}

/** Null for anything that is not one of our lines, or that was altered. */
export function readLine(line: string): CheckedLine | null {
  const [whole, text = '', number, kind = '', what = '', crc] =
    /^((\d+) (\w+) (\S+)) ([0-9a-f]{8})$/.exec(line) ?? [];
  if (whole === undefined || checksum(text) !== crc) return null;
  return { number: Number(number), kind, what };
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** A running digest of what was typed. */
export class TypedDigest {
  readonly #hash = createHash('sha256');
  #count = 0;

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#count += bytes.length;
  }

  get count(): number {
    return this.#count;
  }

  /** What a `heard` line reports about the input so far. */
  get what(): string {
    return `${this.#count}:${this.#hash.copy().digest('hex').slice(0, 24)}`;
  }
}
