/**
 * How long a screen must have been quiet before it is put to sleep to make room. It learns from its mistakes: one that is woken
 * within its minute may next time be quiet for twice as long. Each mistake at least doubles it, so that a screen which prints every
 * few seconds makes few and then stays awake; a whole minute of quiet forgets them.
 */
import { SLEEP_AFTER_MS, SLEEP_EARLY_AFTER_MS } from './limits.ts';

export class SleepDelay {
  #ms = SLEEP_EARLY_AFTER_MS;

  get ms(): number {
    return this.#ms;
  }

  /** It slept and is woken, after so long a quiet. */
  woken(quietMs: number): void {
    this.#ms =
      quietMs >= SLEEP_AFTER_MS
        ? SLEEP_EARLY_AFTER_MS
        : Math.max(this.#ms, Math.min(2 * quietMs, SLEEP_AFTER_MS));
  }
}
