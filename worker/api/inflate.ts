/**
 * Undoes raw deflate with what the runtime has, up to a limit. workerd's stream takes any number of writes before
 * anything is read of it, so each slice is followed by a turn of the event loop in which its reader catches up.
 */
import {
  type InflateOptions,
  type Inflater,
  inflateBounded,
  inflatedPieces,
} from '../../web/client/bounded-inflate.ts';
import { workerClock } from './worker-clock.ts';

const settled = () => new Promise<void>((resolve) => void workerClock.after(0, resolve));

function inflater(): Inflater {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  return { reader: readable.getReader(), writer: writable.getWriter() };
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return bytes.length === 0 ? bytes : inflateBounded(inflater(), bytes, { settled });
}

/** Piece by piece, for whoever counts or passes on. */
export async function* inflatePieces(
  pieces: readonly Uint8Array<ArrayBuffer>[],
  options: InflateOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (pieces.length > 0) yield* inflatedPieces(inflater(), pieces, { settled, ...options });
}
