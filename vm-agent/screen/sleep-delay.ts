/**
 * How long a screen must be quiet before it is put to sleep early to free memory. A screen that is woken within its
 * minute must be quiet for twice as long next time. Each such mistake at least doubles the delay, so a screen that
 * prints every few seconds causes few of them and then stays awake. A whole minute of quiet resets the delay.
 */
import { SLEEP_AFTER_MS, SLEEP_EARLY_AFTER_MS } from './limits.ts';

export class SleepDelay {
  #ms = SLEEP_EARLY_AFTER_MS;

  get ms(): number {
    return this.#ms;
  }

  /** It was asleep and is woken after this much quiet. */
  woken(quietMs: number): void {
    this.#ms =
      quietMs >= SLEEP_AFTER_MS
        ? SLEEP_EARLY_AFTER_MS
        : Math.max(this.#ms, Math.min(2 * quietMs, SLEEP_AFTER_MS));
  }
}
