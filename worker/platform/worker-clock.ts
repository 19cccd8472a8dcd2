/** The clock of a long-running request, with the timers of its Worker. */
import type { Clock } from '../../protocol/clock.ts';

export const workerClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
