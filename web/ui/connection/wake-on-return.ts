/** Notices that a person or the network comes or goes, so that nobody waits out a timer that was set before. */
import type { Clock } from '../../../protocol/clock.ts';

const TICK_MS = 1_000;
/** A worker's timer is late by milliseconds under load; by seconds only when the machine slept. */
const GAP_MS = 5_000;

interface Comings {
  /** Somebody or something is back. */
  wake(): void;
  /** The browser thinks that there is no network; it may be wrong, about loopback for one. */
  doubt(): void;
}

/** Tells of every return and departure; the result ends that. */
export function wakeOnReturn({ wake, doubt }: Comings, clock: Clock): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  addEventListener('online', wake, { signal });
  addEventListener('offline', doubt, { signal });
  addEventListener('pageshow', wake, { signal });
  addEventListener('focus', wake, { signal });
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && wake(), {
    signal,
  });
  const stopWatching = watchForGaps(wake, clock);
  return () => {
    listening.abort();
    stopWatching();
  };
}

/**
 * Reads the wall clock, because the monotonic one stands still while Linux and macOS sleep. When somebody
 * sets the wall clock, the price is one needless ping.
 */
function watchForGaps(wake: () => void, clock: Clock): () => void {
  let last = Date.now();
  let cancel = clock.after(TICK_MS, tick);
  function tick(): void {
    const now = Date.now();
    if (now - last > GAP_MS) wake();
    last = now;
    cancel = clock.after(TICK_MS, tick);
  }
  return () => cancel();
}
