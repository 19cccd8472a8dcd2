/** One direction of a slow path, with a limited rate, a delay, and a short queue in front. It keeps the order of bytes. */
import type { Readable, Writable } from 'node:stream';
import { systemClock } from '../../node/system-clock.ts';

export interface PathShape {
  readonly bytesPerSecond?: number;
  readonly delayMs?: number;
}

/** The queue of a router: beyond this it takes nothing more, and the sender has to wait. */
const QUEUE_MS = 20;
/** About ten packets; larger pieces would arrive in bursts. */
const PIECE_BYTES = 16 * 1024;

export function shapedPipe(
  from: Readable,
  to: Writable,
  { bytesPerSecond = Number.POSITIVE_INFINITY, delayMs = 0 }: PathShape,
  clock = systemClock,
): void {
  /** When the path will have carried everything it was given. */
  let freeAt = 0;
  let ended = false;
  /** Oldest first. */
  const onTheWay: Buffer[] = [];
  // The oldest piece arrives, whichever timer fires. Timers count in whole milliseconds, so that of two pieces less than
  // a millisecond apart the timer of the second may fire first.
  const arrive = () => {
    const piece = onTheWay.shift();
    if (piece !== undefined && to.writable) to.write(piece);
    if (ended && onTheWay.length === 0) to.end();
  };
  from.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      freeAt = Math.max(freeAt, clock.now()) + (piece.length / bytesPerSecond) * 1000;
      onTheWay.push(piece);
      clock.after(freeAt + delayMs - clock.now(), arrive);
    }
    const wait = freeAt - clock.now() - QUEUE_MS;
    if (wait <= 0) return;
    from.pause();
    clock.after(wait, () => from.resume());
  });
  from.on('end', () => {
    ended = true;
    if (onTheWay.length === 0) to.end();
  });
}
