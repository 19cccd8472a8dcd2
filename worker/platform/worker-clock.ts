/** Time for a request that lasts: the timers of the Worker that serves it. */
import type { Clock } from '../../protocol/clock.ts';

export const workerClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
