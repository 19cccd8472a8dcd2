/**
 * Notices when the user or the network comes back or leaves, so that the client reconnects at once and does not wait
 * for a timer set earlier.
 */
import type { Clock } from '../../../protocol/clock.ts';

const TICK_MS = 1_000;
/** A worker's timer is late by milliseconds under load, and by seconds only after the machine slept. */
const GAP_MS = 5_000;

interface Comings {
  /** The user, the network or the machine is back. */
  wake(): void;
  /** The browser reports that there is no network. It may be wrong, for example about loopback. */
  doubt(): void;
}

/** Reports every return and departure until the returned function is called. */
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
 * Reads the wall clock, because the monotonic clock stands still while Linux and macOS sleep. If somebody sets the wall
 * clock, that costs one needless ping.
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
