/** What a terminal has parsed since a snapshot of it was begun. The snapshot is completed with it. */
import type { Size } from '../../protocol/frame.ts';
import { BATCH_MAX_BYTES, PARSED_SINCE_MAX_BYTES } from './limits.ts';
import type { QueuedPiece } from './thread-messages.ts';

export class ParsedSince {
  readonly #pieces: QueuedPiece[] = [];
  #bytes = 0;
  /** What the last piece, if it is output, is the beginning of. */
  #batch = new Uint8Array(0);

  /** While it is, the terminal waits until the snapshot is written. */
  get isFull(): boolean {
    return this.#bytes >= PARSED_SINCE_MAX_BYTES;
  }

  /** In order, and without a hole. */
  get pieces(): readonly QueuedPiece[] {
    return this.#pieces;
  }

  /** Takes a copy; small steps are gathered. */
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
  }

  #append(offset: number, filled: number, bytes: Uint8Array): void {
    this.#batch.set(bytes, filled);
    this.#pieces.push({ kind: 'output', offset, bytes: this.#batch.subarray(0, filled + bytes.length) });
  }
}
