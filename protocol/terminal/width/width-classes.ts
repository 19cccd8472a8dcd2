/** Looks up the class of a code point. The table is unpacked once, into blocks that are shared where they are equal. */
import { WIDTH_RUNS } from './width-table.ts';

const BLOCK_BITS = 8;
const BLOCK_SIZE = 1 << BLOCK_BITS;
const CODE_POINTS = 0x110000;
const FIRST_LETTER = 0x41;

const blockOf = new Uint8Array(CODE_POINTS / BLOCK_SIZE);
const classes = unpack();

function unpack(): Uint8Array {
  const all = new Uint8Array(CODE_POINTS);
  let at = 0;
  for (const [, letter = '', length = ''] of WIDTH_RUNS.matchAll(/([A-^])([0-9a-z]*)/g)) {
    const end = at + (length === '' ? 1 : Number.parseInt(length, 36));
    all.fill(letter.charCodeAt(0) - FIRST_LETTER, at, end);
    at = end;
  }
  const blocks = new Map<string, number>();
  for (let block = 0; block < blockOf.length; block++) {
    const key = String.fromCharCode(...all.subarray(block * BLOCK_SIZE, (block + 1) * BLOCK_SIZE));
    const number = blocks.get(key) ?? blocks.size;
    blocks.set(key, number);
    blockOf[block] = number;
  }
  const unpacked = new Uint8Array(blocks.size * BLOCK_SIZE);
  for (const [key, number] of blocks)
    for (let at = 0; at < BLOCK_SIZE; at++) unpacked[number * BLOCK_SIZE + at] = key.charCodeAt(at);
  return unpacked;
}

export function classAt(codePoint: number): number {
  const block = blockOf[codePoint >> BLOCK_BITS] ?? 0;
  return classes[(block << BLOCK_BITS) | (codePoint & (BLOCK_SIZE - 1))] ?? 0;
}
