/** React hook for a countdown. */
import { useEffect, useState } from 'react';

/** Often enough that the countdown skips no second. */
const COUNT_EVERY_MS = 250;

/** The full seconds until `moment`, in ms of `clock`; 0 when it has passed, and without one. */
export function useSecondsUntil(moment: number | null, clock: () => number): number {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (moment === null) return;
    const interval = setInterval(() => {
      // The same number draws nothing.
      const seconds = secondsUntil(moment, clock());
      redraw(seconds);
      if (seconds === 0) clearInterval(interval);
    }, COUNT_EVERY_MS);
    return () => clearInterval(interval);
  }, [moment, clock]);
  return moment === null ? 0 : secondsUntil(moment, clock());
}

const secondsUntil = (moment: number, now: number) => Math.max(0, Math.ceil((moment - now) / 1000));
