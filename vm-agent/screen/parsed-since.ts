/** Collects what a terminal parsed since a snapshot of it was started. It is added to the snapshot's replay. */
import type { Size } from '../../protocol/frame.ts';
import { QUEUED_ITEM_BYTES } from '../../protocol/limits.ts';
import { BATCH_MAX_BYTES, PARSED_SINCE_MAX_BYTES } from './limits.ts';
import type { QueuedPiece } from './thread-messages.ts';

const NOTHING = new Uint8Array(0);

export class ParsedSince {
  readonly #pieces: QueuedPiece[] = [];
  /** What the pieces need in memory. */
  #bytes = 0;
  /** The buffer that the last piece, if it is output, is a prefix of. */
  #batch = NOTHING;
  #filled = 0;

  /** If full, the terminal waits until the snapshot is written. */
  get isFull(): boolean {
    return this.#bytes >= PARSED_SINCE_MAX_BYTES;
  }

  /** In order and without gaps. */
  get pieces(): readonly QueuedPiece[] {
    return this.#pieces;
  }

  /** Copies `bytes`; small steps are joined. */
  parsed(offset: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#bytes += bytes.length;
    const last = this.#pieces.at(-1);
    const filled = last?.kind === 'output' ? last.bytes.length : 0;
    if (last?.kind === 'output' && filled + bytes.length <= this.#batch.length) {
      this.#pieces.pop();
      this.#append(last.offset, filled, bytes);
    } else {
      this.#batch = new Uint8Array(Math.max(BATCH_MAX_BYTES, bytes.length));
      this.#append(offset, 0, bytes);
    }
  }

  resized(offset: number, size: Size): void {
    this.#pieces.push({ kind: 'resize', offset, size });
    // The unused rest of a batch that a resize ends counts too: there may be a resize after every few bytes.
    this.#bytes += QUEUED_ITEM_BYTES + this.#batch.length - this.#filled;
    this.#batch = NOTHING;
    this.#filled = 0;
  }

  #append(offset: number, filled: number, bytes: Uint8Array): void {
    this.#batch.set(bytes, filled);
    this.#filled = filled + bytes.length;
    this.#pieces.push({ kind: 'output', offset, bytes: this.#batch.subarray(0, this.#filled) });
  }
}
