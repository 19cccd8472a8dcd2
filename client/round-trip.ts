/**
 * A smoothed round-trip time: recent measurements weigh most, and one slow one changes little. An old measurement says
 * nothing about the present, so it expires.
 */
import type { Cancel, Clock } from '../protocol/clock.ts';

const WEIGHT_OF_LAST = 0.25;

export const ROUND_TRIP_FRESH_MS = 30_000;

export class RoundTrip {
  readonly #clock: Clock;
  readonly #expired: () => void;
  #ms: number | null = null;
  #measuredAt = 0;
  #forget: Cancel | null = null;

  /** `expired` is called when the value has expired. */
  constructor(clock: Clock, expired: () => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  /** Null until one was measured, and after it has expired. */
  get ms(): number | null {
    return this.#ms;
  }

  measured(ms: number): void {
    this.#ms = this.#ms === null ? ms : this.#ms + WEIGHT_OF_LAST * (ms - this.#ms);
    this.#measuredAt = this.#clock.now();
    this.#forget ??= this.#clock.after(ROUND_TRIP_FRESH_MS, () => this.#look());
  }

  /** Stops the timer. */
  stop(): void {
    this.#forget?.();
    this.#forget = null;
    this.#ms = null;
  }

  /** One timer serves all measurements, because a keystroke must not cost a timer. */
  #look(): void {
    const leftMs = this.#measuredAt + ROUND_TRIP_FRESH_MS - this.#clock.now();
    this.#forget = leftMs > 0 ? this.#clock.after(leftMs, () => this.#look()) : null;
    if (leftMs > 0) return;
    this.#ms = null;
    this.#expired();
  }
}
