/** Runs the page's timers in a worker, because browsers throttle timers of hidden pages but not of workers. */
import type { TimerRequest } from './worker-clock.ts';

const timers = new Map<number, ReturnType<typeof setTimeout>>();

addEventListener('message', ({ data: { id, ms } }: MessageEvent<TimerRequest>) => {
  clearTimeout(timers.get(id));
  timers.delete(id);
  if (ms === 'cancel') return;
  const ring = () => {
    timers.delete(id);
    postMessage(id);
  };
  timers.set(id, setTimeout(ring, ms));
});
