/**
 * A response body that is produced as its reader takes it. If the reader takes nothing for too long, the body is
 * cancelled and everything it holds (a seat in the workspace, memory) is released.
 */
import type { Clock } from '../../../protocol/clock.ts';
import { READER_STALLED_MS } from '../../../protocol/limits.ts';
import { workerClock } from '../../platform/worker-clock.ts';

interface AnswerSource {
  /** The next piece; undefined at the end. */
  next(): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** Called when the body was read to its end or cancelled, perhaps more than once. */
  left(): void;
}

/**
 * After this much, others get their turn. The runtime asks a fast reader's body for the next piece without looking at
 * any other connection.
 */
const TURN_BYTES = 512 * 1024;

export function answerBody(source: AnswerSource, clock: Clock = workerClock): ReadableStream<Uint8Array> {
  let stopWaiting = () => {};
  let turnBytes = 0;
  const leave = () => {
    stopWaiting();
    source.left();
  };
  // A reader that never asks for the first or the next piece is treated as disconnected.
  const wait = (controller: ReadableStreamDefaultController) => {
    stopWaiting = clock.after(READER_STALLED_MS, () => {
      leave();
      controller.error(new Error('the reader has stalled'));
    });
  };
  return new ReadableStream<Uint8Array>(
    {
      start: wait,
      async pull(controller) {
        stopWaiting();
        if (turnBytes >= TURN_BYTES) {
          turnBytes = 0;
          await new Promise<void>((resolve) => void clock.after(0, resolve));
        }
        const piece = await source.next();
        if (piece !== undefined) {
          turnBytes += piece.length;
          controller.enqueue(piece);
          return wait(controller);
        }
        leave();
        controller.close();
      },
      cancel: leave,
    },
    // Produce nothing ahead of the reader.
    { highWaterMark: 0 },
  );
}
