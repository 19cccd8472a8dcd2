/** The browser's timers. Those of a hidden page are late, and nothing is due there: this page does nothing then. */
import type { Clock } from '../../../protocol/clock.ts';

export const pageClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
