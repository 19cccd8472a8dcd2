/**
 * Memory for output that waits to be parsed. It is shared with the thread, which reads it in place; an array sent in a
 * message would be copied twice. Chunks are reused, because shared memory is collected only after both sides were, long
 * after its last use.
 */
import { BATCH_MAX_BYTES, FREE_CHUNKS_MAX } from './limits.ts';

export type Chunk = Uint8Array<SharedArrayBuffer>;

export class ChunkPool {
  readonly #free: Chunk[] = [];

  /** BATCH_MAX_BYTES to write to, with arbitrary content. */
  take(): Chunk {
    return this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(BATCH_MAX_BYTES));
  }

  /** Returns a chunk that nobody reads any more. */
  give(chunk: Chunk): void {
    if (this.#free.length < FREE_CHUNKS_MAX) this.#free.push(chunk);
  }
}
