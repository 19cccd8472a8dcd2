/** The real clock of this process. */
import type { Clock } from '../protocol/clock.ts';

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};
