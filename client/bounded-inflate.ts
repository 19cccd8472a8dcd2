/**
 * Undoes raw deflate, and stops at a limit: a few kilobytes may stand for gigabytes. The inflater itself is the
 * runtime's DecompressionStream, which the page and the Worker hand in.
 */
import { ProtocolError } from '../protocol/errors.ts';
import {
  INFLATE_SLICE_BYTES,
  INFLATE_SLICE_MIN_BYTES,
  SNAPSHOT_INFLATED_MAX_BYTES,
} from '../protocol/limits.ts';

/** What was inflated is more than may be held. */
export class InflatedTooLarge extends ProtocolError {
  constructor(maxBytes: number) {
    super(`a snapshot of over ${maxBytes} bytes when inflated`);
  }
}

/** The two ends of a stream that inflates. */
export interface Inflater {
  readonly reader: {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<void>;
  };
  readonly writer: { write(bytes: Uint8Array<ArrayBuffer>): Promise<void>; close(): Promise<void> };
}

export interface InflateOptions {
  readonly maxBytes?: number;
  /**
   * Resolves when everything that was written has been inflated and read. For a runtime whose stream takes writes
   * without waiting for its reader.
   */
  readonly settled?: () => Promise<void>;
}

/** The pieces of what `bytes` stand for, as they are inflated. Throws a ProtocolError for what is no deflate. */
export async function* inflatedPieces(
  { reader, writer }: Inflater,
  pieces: Iterable<Uint8Array<ArrayBuffer>>,
  { maxBytes = SNAPSHOT_INFLATED_MAX_BYTES, settled }: InflateOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let total = 0;
  const feeding = feed(writer, pieces, () => total, settled);
  feeding.catch(() => {}); // what is wrong shows at the reader too
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new ProtocolError('a snapshot that cannot be inflated');
      });
      if (done || value === undefined) return;
      total += value.length;
      if (total > maxBytes) throw new InflatedTooLarge(maxBytes);
      yield value as Uint8Array<ArrayBuffer>;
    }
  } finally {
    // Of no use any more, whether it was read to its end or not; a write that waits is given up with it.
    void reader.cancel().catch(() => {});
  }
}

async function feed(
  writer: Inflater['writer'],
  pieces: Iterable<Uint8Array<ArrayBuffer>>,
  inflated: () => number,
  settled: () => Promise<void> = async () => {},
): Promise<void> {
  let slice = INFLATE_SLICE_MIN_BYTES;
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const before = inflated();
      await writer.write(piece.subarray(at, at + slice));
      at += slice;
      await settled();
      slice = nextSlice(slice, inflated() - before);
    }
  }
  await writer.close();
}

/** What becomes little is fed in larger slices, each of which costs a turn of the event loop. */
const LITTLE_BYTES = 64 * 1024;
const MUCH_BYTES = 512 * 1024;

function nextSlice(slice: number, gained: number): number {
  if (gained > MUCH_BYTES) return INFLATE_SLICE_MIN_BYTES;
  return gained < LITTLE_BYTES ? Math.min(2 * slice, INFLATE_SLICE_BYTES) : slice;
}

/** All of it, at most as much as a snapshot may be. */
export async function inflateBounded(
  inflater: Inflater,
  bytes: Uint8Array<ArrayBuffer>,
  options: InflateOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for await (const piece of inflatedPieces(inflater, [bytes], options)) {
    pieces.push(piece);
    total += piece.length;
  }
  if (pieces.length === 1) return pieces[0] as Uint8Array<ArrayBuffer>;
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
