/**
 * A round trip as a person would state it: the last ones weigh most, one slow one does not change the picture. One that
 * was measured long ago says nothing about now, and is not told.
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

  /** `expired` runs when there is none any more. */
  constructor(clock: Clock, expired: () => void) {
    this.#clock = clock;
    this.#expired = expired;
  }

  /** Null until one was measured, and again when that is too long ago. */
  get ms(): number | null {
    return this.#ms;
  }

  measured(ms: number): void {
    this.#ms = this.#ms === null ? ms : this.#ms + WEIGHT_OF_LAST * (ms - this.#ms);
    this.#measuredAt = this.#clock.now();
    this.#forget ??= this.#clock.after(ROUND_TRIP_FRESH_MS, () => this.#look());
  }

  /** Nobody asks any more. */
  stop(): void {
    this.#forget?.();
    this.#forget = null;
    this.#ms = null;
  }

  /** One timer for all that was measured meanwhile: a key must not cost one. */
  #look(): void {
    const leftMs = this.#measuredAt + ROUND_TRIP_FRESH_MS - this.#clock.now();
    this.#forget = leftMs > 0 ? this.#clock.after(leftMs, () => this.#look()) : null;
    if (leftMs > 0) return;
    this.#ms = null;
    this.#expired();
  }
}
