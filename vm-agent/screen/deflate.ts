/**
 * Deflates text piece by piece, so that a large snapshot can be compressed in slices. Every piece but the last ends
 * with a flush and refers to nothing before it, so the concatenated pieces are one stream.
 */
import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { SNAPSHOT_INFLATED_MAX_BYTES } from '../../protocol/limits.ts';
import { SLEEPING_MAX_BYTES } from './limits.ts';
import type { Deflated } from './thread-messages.ts';

/** Long enough to compress well, short enough to take a millisecond or two. */
const PIECE_MIN_CHARS = 64 * 1024;

/** The fastest level: a quarter of the time for a tenth more bytes. */
const LEVEL = 1;

const encoder = new TextEncoder();

export class PiecewiseDeflate {
  readonly #pieces: Uint8Array[] = [];
  #text = '';
  #bytes = 0;

  /** The inflated length so far; text not yet compressed counts as ASCII. */
  get bytes(): number {
    return this.#bytes + this.#text.length;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= PIECE_MIN_CHARS) this.#push(encoder.encode(this.#text), constants.Z_SYNC_FLUSH);
  }

  /** Ends the stream with the remaining text and `tail`. */
  finish(tail: Uint8Array): Omit<Deflated, 'linesAbove'> {
    const text = encoder.encode(this.#text);
    const last = new Uint8Array(text.length + tail.length);
    last.set(text);
    last.set(tail, text.length);
    this.#push(last, constants.Z_FINISH);
    const joined = new Uint8Array(this.#pieces.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      joined.set(piece, at);
      at += piece.length;
    }
    return { deflated: joined, pieceBytes: this.#pieces.map(({ length }) => length), bytes: this.#bytes };
  }

  #push(bytes: Uint8Array, finishFlush: number): void {
    this.#pieces.push(deflateRawSync(bytes, { level: LEVEL, finishFlush }));
    this.#bytes += bytes.length;
    this.#text = '';
  }
}

/** The pieces of such a stream; each can be inflated by itself. */
export function piecesOf({ deflated, pieceBytes }: Pick<Deflated, 'deflated' | 'pieceBytes'>): Uint8Array[] {
  let at = 0;
  return pieceBytes.map((bytes) => {
    at += bytes;
    return deflated.subarray(at - bytes, at);
  });
}

export function inflatePiece(piece: Uint8Array): Uint8Array {
  return inflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: SLEEPING_MAX_BYTES });
}

/** Throws for invalid data and for more than a snapshot may contain: a few kilobytes can inflate to gigabytes. */
export function inflateState(deflated: Uint8Array): Uint8Array {
  return inflateRawSync(deflated, { maxOutputLength: SNAPSHOT_INFLATED_MAX_BYTES });
}
