/**
 * Memory in which output waits for its terminal. It is shared with the thread, which reads it where it is: a
 * message with an array of its own is copied twice on its way. And it is used again: what is shared is
 * collected only when both sides have been, long after it was last needed.
 */
import { BATCH_MAX_BYTES, FREE_CHUNKS_MAX } from './limits.ts';

export type Chunk = Uint8Array<SharedArrayBuffer>;

export class ChunkPool {
  readonly #free: Chunk[] = [];

  /** BATCH_MAX_BYTES to write to, whatever is in them. */
  take(): Chunk {
    return this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(BATCH_MAX_BYTES));
  }

  /** Nobody reads this one any more. */
  give(chunk: Chunk): void {
    if (this.#free.length < FREE_CHUNKS_MAX) this.#free.push(chunk);
  }
}
