/** One direction of a socket pair in memory: bytes that were sent and not yet received. */
import { FrameReader, type KeeperFrame, type KeeperHeader } from '../../../vm-agent/keeper/wire.ts';
import { frameBytes } from './frame-bytes.ts';

export class ByteQueue {
  readonly #reader = new FrameReader();
  readonly #received: (frame: KeeperFrame) => void;
  #pieces: Buffer[] = [];
  length = 0;

  constructor(received: (frame: KeeperFrame) => void) {
    this.#received = received;
  }

  send(header: KeeperHeader, payload: Uint8Array): void {
    const bytes = frameBytes(header, payload);
    this.#pieces.push(bytes);
    this.length += bytes.length;
  }

  /** The receiver gets the next `count` bytes, in one piece. */
  deliver(count: number): void {
    const all = Buffer.concat(this.#pieces);
    this.#pieces = count < all.length ? [all.subarray(count)] : [];
    const piece = all.subarray(0, count);
    this.length = all.length - piece.length;
    for (const frame of this.#reader.read(piece)) this.#received(frame);
    // Its array is used again: whoever keeps a view instead of a copy finds out.
    piece.fill(0);
  }

  /** The rest is lost. */
  cut(): void {
    this.#pieces = [];
    this.length = 0;
  }
}
