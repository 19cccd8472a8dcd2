/** A replay: what a client gets to catch up, and how it is assembled. */
import { HEADER_BYTES, type Size } from '../../protocol/frame.ts';
import type { SizeChange } from '../terminal/size-history.ts';

/** One piece of a replay. */
export type Piece =
  | { readonly kind: 'output'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'resize'; readonly offset: number; readonly size: Size };

/** What a client gets to catch up: output in [from, to), on a terminal of this size. */
export interface Replay {
  readonly from: number;
  readonly to: number;
  readonly size: Size;
  /** The screen at `from`, deflated; null if the client already has everything before `from`. */
  readonly screen: Uint8Array | null;
  /** How many lines of history the snapshot leaves out. */
  readonly linesAbove: number;
  readonly pieces: readonly Piece[];
  /** The replay ends before the present: more follows once it has been acknowledged. */
  readonly isStill?: boolean;
}

/** A resize is a frame of its own. */
const RESIZE_BYTES = HEADER_BYTES + 4;

/** How many bytes the replay sends. */
export function bytesOf({ from, to, screen, pieces }: Replay): number {
  const resizes = pieces.filter(({ kind }) => kind === 'resize').length;
  return (screen?.length ?? 0) + (to - from) + resizes * RESIZE_BYTES;
}

/** The screen and at most the next `bytes` of output. */
export function still(replay: Replay, bytes: number): Replay {
  const to = replay.from + bytes;
  const pieces = replay.pieces.flatMap((piece): Piece[] => {
    if (piece.offset >= to) return [];
    return piece.kind === 'resize'
      ? [piece]
      : [{ ...piece, bytes: piece.bytes.subarray(0, to - piece.offset) }];
  });
  return { ...replay, to, pieces, isStill: true };
}

/** Output from `offset` on, with each resize at its offset. */
export function interleave(offset: number, bytes: Uint8Array, changes: readonly SizeChange[]): Piece[] {
  const pieces: Piece[] = [];
  let at = offset;
  const printUpTo = (end: number) => {
    if (end > at)
      pieces.push({ kind: 'output', offset: at, bytes: bytes.subarray(at - offset, end - offset) });
    at = end;
  };
  for (const change of changes) {
    printUpTo(change.offset);
    pieces.push({ kind: 'resize', offset: change.offset, size: change.size });
  }
  printUpTo(offset + bytes.length);
  return pieces;
}
