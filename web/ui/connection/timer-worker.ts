/** Keeps time for the page, in a thread the browser does not slow down while the page is hidden. */
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
