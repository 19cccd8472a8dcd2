/**
 * Inflates raw deflate up to a size limit, because a few kilobytes may expand to gigabytes. The page and the Worker
 * pass in the inflater, which is the runtime's DecompressionStream.
 */
import { ProtocolError } from '../protocol/errors.ts';
import { joinBytes } from '../protocol/join-bytes.ts';
import {
  INFLATE_SLICE_BYTES,
  INFLATE_SLICE_MIN_BYTES,
  SNAPSHOT_INFLATED_MAX_BYTES,
} from '../protocol/limits.ts';

/** The inflated data exceeds the limit. */
export class InflatedTooLarge extends ProtocolError {
  constructor(maxBytes: number) {
    super(`a snapshot of over ${maxBytes} bytes when inflated`);
  }
}

/** The two ends of a decompression stream. */
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
   * Resolves when everything written has been inflated and read. For runtimes whose stream accepts writes without
   * waiting for its reader.
   */
  readonly settled?: () => Promise<void>;
}

/** Yields the inflated pieces. Throws a ProtocolError if the data is not valid deflate. */
export async function* inflatedPieces(
  { reader, writer }: Inflater,
  pieces: Iterable<Uint8Array<ArrayBuffer>>,
  { maxBytes = SNAPSHOT_INFLATED_MAX_BYTES, settled }: InflateOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let total = 0;
  const feeding = feed(writer, pieces, () => total, settled);
  feeding.catch(() => {}); // the reader gets the same error
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
    // No longer needed, whether it was read to its end or not. This also cancels a pending write.
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

/**
 * A slice that inflates to little is followed by a larger one, because each slice costs a turn of the event loop. One
 * that inflates to much is followed by the smallest.
 */
const LITTLE_BYTES = 64 * 1024;
const MUCH_BYTES = 512 * 1024;

function nextSlice(slice: number, gained: number): number {
  if (gained > MUCH_BYTES) return INFLATE_SLICE_MIN_BYTES;
  return gained < LITTLE_BYTES ? Math.min(2 * slice, INFLATE_SLICE_BYTES) : slice;
}

/** Inflates everything, up to the size limit of a snapshot. */
export async function inflateBounded(
  inflater: Inflater,
  bytes: Uint8Array<ArrayBuffer>,
  options: InflateOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of inflatedPieces(inflater, [bytes], options)) pieces.push(piece);
  return joinBytes(pieces);
}
