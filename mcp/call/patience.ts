/** Limits a call in time, and lets its caller end it. */
import type { Clock } from '../../protocol/clock.ts';
import { MCP_PROGRESS_EVERY_MS } from '../../protocol/limits.ts';
import { ToolError } from './tool-error.ts';
import type { Cancellation } from './tool-host.ts';

export const cancelledError = () => new ToolError('cancelled', 'The call was cancelled.');

/** Settles as `work` does, but not later than after `withinMs`, nor after a cancellation. */
export function within<T>(
  clock: Clock,
  withinMs: number,
  cancelled: Cancellation,
  work: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      stop();
      cancelled.removeEventListener('abort', abandon);
      act();
    };
    const abandon = () => settle(() => reject(cancelledError()));
    const stop = clock.after(withinMs, () =>
      settle(() => reject(new ToolError('timeout', 'There was no answer in time; try again.'))),
    );
    cancelled.addEventListener('abort', abandon);
    if (cancelled.aborted) abandon();
    work.then(
      (value) => settle(() => resolve(value)),
      (error) => settle(() => reject(error)),
    );
  });
}

/** Calls `tell` with the seconds since now, every few of them. Returns a function that stops it. */
export function tellProgress(clock: Clock, tell: (seconds: number) => void): () => void {
  const begin = clock.now();
  let stop = () => {};
  const again = () => {
    stop = clock.after(MCP_PROGRESS_EVERY_MS, () => {
      tell(Math.round((clock.now() - begin) / 1000));
      again();
    });
  };
  again();
  return () => stop();
}
