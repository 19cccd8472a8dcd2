/** Assembles a snapshot that arrives in pieces. */
import { ProtocolError } from '../protocol/errors.ts';
import type { Size } from '../protocol/frame.ts';
import { SNAPSHOT_MAX_BYTES } from '../protocol/limits.ts';

export class IncomingSnapshot {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The output offset at which it shows the screen. */
  readonly from: number;
  readonly size: Size;
  /** It shows the screen that is already shown, with the history above it. */
  readonly isHistory: boolean;
  #received = 0;

  constructor(length: number, from: number, size: Size, isHistory = false) {
    if (length > SNAPSHOT_MAX_BYTES) throw new ProtocolError(`a snapshot of ${length} bytes`);
    this.bytes = new Uint8Array(length);
    this.from = from;
    this.size = size;
    this.isHistory = isHistory;
  }

  get receivedBytes(): number {
    return this.#received;
  }

  /** Whether every piece has arrived. */
  get isWhole(): boolean {
    return this.#received === this.bytes.length;
  }

  /** True when this piece was the last one. Pieces must arrive in order and without holes. */
  add(offset: number, piece: Uint8Array): boolean {
    if (offset !== this.#received || offset + piece.length > this.bytes.length) {
      throw new ProtocolError(`a piece of a snapshot at ${offset}, where ${this.#received} was due`);
    }
    this.bytes.set(piece, offset);
    this.#received += piece.length;
    return this.isWhole;
  }
}
