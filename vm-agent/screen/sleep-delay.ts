/**
 * Decides when a screen may fall asleep: after a minute of quiet, or sooner to free memory. A screen that is woken
 * within its minute must be quiet for twice as long next time. Each such mistake at least doubles the delay, so a screen
 * that prints every few seconds causes few of them and then stays awake. A whole minute of quiet resets the delay.
 */
import type { Clock } from '../../protocol/clock.ts';
import { IdleTimer } from './idle-timer.ts';
import { SLEEP_AFTER_MS, SLEEP_EARLY_AFTER_MS } from './limits.ts';

/** How long a screen must be quiet before it is put to sleep early. */
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

/** Why one screen stays awake, and since when it could sleep. */
export class SleepReadiness {
  readonly #idle: IdleTimer;
  readonly #delay = new SleepDelay();
  #isWatched = false;
  /** Its state was too long to store, and nothing has changed since. */
  #isTooLong = false;

  /** `fallAsleep` returns false if it must be tried again. */
  constructor(clock: Clock, fallAsleep: () => boolean) {
    this.#idle = new IdleTimer(clock, SLEEP_AFTER_MS, fallAsleep);
  }

  get isWatched(): boolean {
    return this.#isWatched;
  }

  get mustStayAwake(): boolean {
    return this.#isWatched || this.#isTooLong;
  }

  /** For how many milliseconds it could already have been asleep; negative: not yet. */
  get sleepyFor(): number {
    return this.mustStayAwake ? -1 : this.#idle.quietMs - this.#delay.ms;
  }

  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#idle.touch();
  }

  /** It is awake from now on. */
  start(): void {
    this.#idle.start();
  }

  stop(): void {
    this.#idle.stop();
  }

  /** It is asked for, which wakes a screen unless it `wasAwake`. */
  stir(wasAwake: boolean): void {
    if (!wasAwake) this.#delay.woken(this.#idle.quietMs);
    this.#idle.touch();
  }

  /** Its state changes, which wakes a screen unless it `wasAwake`. */
  changed(wasAwake: boolean): void {
    this.stir(wasAwake);
    this.#isTooLong = false;
  }

  /** It could not sleep. The attempt cost as much as waking, so the next one waits longer too. */
  stayed(isTooLong: boolean): void {
    this.#delay.woken(this.#idle.quietMs);
    this.#isTooLong = isTooLong;
  }
}
