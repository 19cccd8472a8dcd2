/** Looks up the class of a code point. The table is unpacked once, into blocks that are shared where they are equal. */
import { WIDTH_RUNS } from './width-table.ts';

const BLOCK_BITS = 8;
const BLOCK_SIZE = 1 << BLOCK_BITS;
const CODE_POINTS = 0x110000;
const FIRST_LETTER = 0x41;

const blockOf = new Uint8Array(CODE_POINTS / BLOCK_SIZE);
const classes = unpack();

/** Runs at every start of a page, an agent and a command, so blocks of one class, which most are, are not compared. */
function unpack(): Uint8Array {
  const all = new Uint8Array(CODE_POINTS);
  const mixed = new Set<number>();
  let at = 0;
  for (const [, letter = '', length = ''] of WIDTH_RUNS.matchAll(/([A-^])([0-9a-z]*)/g)) {
    const end = at + (length === '' ? 1 : Number.parseInt(length, 36));
    all.fill(letter.charCodeAt(0) - FIRST_LETTER, at, end);
    if (end % BLOCK_SIZE !== 0) mixed.add(end >> BLOCK_BITS);
    at = end;
  }
  const numbers = new Map<string, number>();
  const different: Uint8Array[] = [];
  for (let block = 0; block < blockOf.length; block++) {
    const part = all.subarray(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE);
    const key = String.fromCharCode(...(mixed.has(block) ? part : part.subarray(0, 1)));
    const number = numbers.get(key) ?? different.push(part) - 1;
    numbers.set(key, number);
    blockOf[block] = number;
  }
  const unpacked = new Uint8Array(different.length * BLOCK_SIZE);
  for (const [number, part] of different.entries()) unpacked.set(part, number * BLOCK_SIZE);
  return unpacked;
}

export function classAt(codePoint: number): number {
  const block = blockOf[codePoint >> BLOCK_BITS] ?? 0;
  return classes[(block << BLOCK_BITS) | (codePoint & (BLOCK_SIZE - 1))] ?? 0;
}
