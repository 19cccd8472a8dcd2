/**
 * The size of a GIF. The one in its header is not binding: browsers enlarge the picture to its first frame, so the blocks
 * before that are walked through.
 *
 *   header, size | table of colours | extensions … | frame: left, top, width, height …
 */
import type { ImageSize } from './image.ts';

/** Bytes from one place to another; fewer at the end of the file. */
type Read = (from: number, to: number) => Uint8Array;

const FIXED_BYTES = 13;
const HAS_COLOURS = 0x80;
const EXTENSION = 0x21;
const FRAME = 0x2c;

/**
 * The lengths that the first block of these extensions has. Decoders disagree about where one of another length ends,
 * and would find another frame than we do.
 */
const FIRST_BLOCK_BYTES: Readonly<Record<number, number>> = { 1: 12, 249: 4, 255: 11 };

/** Blocks before the first frame, of up to 255 bytes each. Programs write some of metadata, and cameras a preview. */
const BLOCKS_MAX = 1024;

/** Null if it is not known, or if there is no frame. */
export function gifSize(read: Read): ImageSize | null {
  const start = read(0, FIXED_BYTES);
  const flags = start[10] ?? 0;
  const at = frameAt(read, FIXED_BYTES + ((flags & HAS_COLOURS) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1)));
  if (at === null) return null;
  const frame = read(at + 1, at + 9);
  if (frame.length < 8) return null;
  const [left, top, width, height] = [0, 2, 4, 6].map((place) => number16(frame, place)) as [
    number,
    number,
    number,
    number,
  ];
  return {
    width: Math.max(number16(start, 6), left + width),
    height: Math.max(number16(start, 8), top + height),
  };
}

/** Where the first frame begins, from the first block on. */
function frameAt(read: Read, first: number): number | null {
  let at = first;
  for (let blocks = 0; blocks < BLOCKS_MAX; ) {
    const [kind, label = 0, length = 0] = read(at, at + 3);
    if (kind === FRAME) return at;
    if (kind !== EXTENSION || length !== (FIRST_BLOCK_BYTES[label] ?? length)) return null;
    at += 2;
    for (let left = length; left > 0 && blocks < BLOCKS_MAX; blocks++) {
      at += 1 + left;
      left = read(at, at + 1)[0] ?? 0;
    }
    at += 1;
    blocks++;
  }
  return null;
}

/** The low byte comes first. */
function number16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 0x100;
}
