/** Nearly valid input: examples with parts flipped, cut, repeated, exchanged and enlarged. */
import type { SeededRandom } from '../support/seeded-random.ts';

/** Values at which counting may go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff];
const EDGE_TEXTS = [
  '0',
  '-1',
  '1e999',
  '9007199254740993',
  '"\\ud800"',
  'null',
  '[]',
  '{}',
  '""',
  'NaN',
  '__proto__',
];
const MOST_CHANGES = 4;
const NONSENSE_MAX_BYTES = 64;

type Change = (bytes: Uint8Array, random: SeededRandom) => Uint8Array;

const CHANGES: readonly Change[] = [
  (bytes, random) => bytes.with(at(bytes, random), random.int(0, 255)),
  (bytes, random) => bytes.with(at(bytes, random), random.pick(EDGES)),
  (bytes, random) => {
    const index = at(bytes, random);
    return bytes.with(index, (bytes[index] ?? 0) ^ (1 << random.int(0, 7)));
  },
  (bytes, random) => bytes.slice(0, at(bytes, random)),
  (bytes, random) => bytes.slice(at(bytes, random)),
  (bytes, random) => join(bytes, bytes.slice(at(bytes, random))),
  (bytes, random) => insert(bytes, at(bytes, random), random.bytes(random.int(1, NONSENSE_MAX_BYTES))),
  (bytes, random) => insert(bytes, at(bytes, random), new TextEncoder().encode(random.pick(EDGE_TEXTS))),
  replaceNumber,
];

export function mutate(examples: readonly Uint8Array[], random: SeededRandom): Uint8Array<ArrayBuffer> {
  if (random.chance(0.02)) return random.bytes(random.int(0, NONSENSE_MAX_BYTES));
  let bytes = random.pick(examples);
  for (let changes = random.int(1, MOST_CHANGES); changes > 0 && bytes.length > 0; changes--) {
    bytes = random.pick(CHANGES)(bytes, random);
  }
  return new Uint8Array(bytes);
}

/** A number in text becomes another value. */
function replaceNumber(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const text = new TextDecoder('latin1').decode(bytes);
  const numbers = [...text.matchAll(/-?\d+|"[^"]*"/g)];
  if (numbers.length === 0) return bytes;
  const { 0: number, index } = random.pick(numbers);
  const other = random.pick(EDGE_TEXTS);
  return Buffer.from(`${text.slice(0, index)}${other}${text.slice(index + number.length)}`, 'latin1');
}

function at(bytes: Uint8Array, random: SeededRandom): number {
  return random.int(0, bytes.length - 1);
}

function insert(bytes: Uint8Array, index: number, piece: Uint8Array): Uint8Array {
  return join(bytes.slice(0, index), piece, bytes.slice(index));
}

function join(...pieces: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(pieces);
}
