/**
 * The body of an answer that is made as its reader takes it, and given up when the reader takes nothing for too long:
 * whatever the answer holds (a seat in the workspace, memory) is then given back.
 */
import type { Clock } from '../../../protocol/clock.ts';
import { READER_STALLED_MS } from '../../../protocol/limits.ts';
import { workerClock } from '../../platform/worker-clock.ts';

interface AnswerSource {
  /** The next piece; undefined when there is none any more. */
  next(): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  /** It was taken to its end, or given up; may be called more than once. */
  left(): void;
}

export function answerBody(source: AnswerSource, clock: Clock = workerClock): ReadableStream<Uint8Array> {
  let stopWaiting = () => {};
  const leave = () => {
    stopWaiting();
    source.left();
  };
  // Nobody may ever ask for the first piece, or for the next one: then nobody is there.
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
        const piece = await source.next();
        if (piece !== undefined) {
          controller.enqueue(piece);
          return wait(controller);
        }
        leave();
        controller.close();
      },
      cancel: leave,
    },
    // Nothing is made ahead of what the reader takes.
    { highWaterMark: 0 },
  );
}
