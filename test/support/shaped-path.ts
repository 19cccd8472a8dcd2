/** One direction of a slow path, with a limited rate, a delay, and a short queue in front. */
import type { Socket } from 'node:net';

export interface PathShape {
  readonly bytesPerSecond?: number;
  readonly delayMs?: number;
}

/** The queue of a router: beyond this it takes nothing more, and the sender has to wait. */
const QUEUE_MS = 20;
/** About ten packets; larger pieces would arrive in bursts. */
const PIECE_BYTES = 16 * 1024;

export function shapedPipe(
  from: Socket,
  to: Socket,
  { bytesPerSecond = Number.POSITIVE_INFINITY, delayMs = 0 }: PathShape,
): void {
  /** When the path will have carried everything it was given. */
  let freeAt = 0;
  let ended = false;
  let onTheWay = 0;
  const arrive = (piece: Buffer) => {
    onTheWay--;
    if (to.writable) to.write(piece);
    if (ended && onTheWay === 0) to.end();
  };
  from.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      freeAt = Math.max(freeAt, performance.now()) + (piece.length / bytesPerSecond) * 1000;
      onTheWay++;
      setTimeout(arrive, freeAt + delayMs - performance.now(), piece);
    }
    const wait = freeAt - performance.now() - QUEUE_MS;
    if (wait <= 0) return;
    from.pause();
    setTimeout(() => from.resume(), wait);
  });
  from.on('end', () => {
    ended = true;
    if (onTheWay === 0) to.end();
  });
}
