/**
 * Adapts the size of a credit window to the path: it grows while acknowledgements are prompt, and shrinks to the
 * delivered rate when they queue. Rule OU9.
 */
import { PathEstimate } from './path-estimate.ts';

/** Up to this much above the shortest round trip, nobody notices the queue. */
export const PROMPT_MS = 40;

/** More than this above the shortest round trip, a person notices that Ctrl-C waits. */
export const QUEUED_MS = 90;

/** By how much the limit grows: a lot until the path was full for the first time, a little afterwards. */
const GROWTH = { exploring: 2, settled: 1.25 };

interface Bounds {
  readonly first: number;
  readonly min: number;
  readonly max: number;
}

export class WindowLimit {
  /** The limit now. A field, because it is read several times for every frame; only this class changes it. */
  bytes: number;
  readonly #bounds: Bounds;
  readonly #path = new PathEstimate();
  #phase: keyof typeof GROWTH = 'exploring';
  /**
   * Whether the limit was reached since its last change: only then does a prompt acknowledgement mean that there is
   * room.
   */
  #wasReached = false;
  #changedAt = Number.NEGATIVE_INFINITY;
  /** Start of the rate measurement, and the bytes acknowledged since. Nothing is measured before the first start. */
  #measuredSince = Number.POSITIVE_INFINITY;
  #measuredBytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.bytes = bounds.first;
  }

  /** The first bytes are sent while none are in flight: the time before says nothing about the rate. */
  measureFrom(now: number): void {
    this.#measuredSince = now;
    this.#measuredBytes = 0;
  }

  /** The window is full. */
  reached(): void {
    this.#wasReached = true;
  }

  /** `bytes` were acknowledged, the last of them `roundTripMs` after they were sent. Returns whether the limit changed. */
  acknowledged(bytes: number, roundTripMs: number, now: number): boolean {
    this.#measuredBytes += bytes;
    this.#path.roundTrip(roundTripMs, now);
    this.#path.delivered(this.#measuredBytes, now - this.#measuredSince, now);
    // At most once per round trip: a change shows its effect one round trip later.
    if (now - this.#changedAt < this.#path.shortestMs) return false;
    const queuedMs = roundTripMs - this.#path.shortestMs;
    if (queuedMs > QUEUED_MS) {
      this.#phase = 'settled';
      // A window below what the path carries causes no queue, so the delay has another cause.
      return this.#path.enoughBytes < this.bytes && this.#change(this.#path.enoughBytes, now);
    }
    return queuedMs < PROMPT_MS && this.#wasReached && this.#change(this.bytes * GROWTH[this.#phase], now);
  }

  #change(bytes: number, now: number): true {
    const { min, max } = this.#bounds;
    this.bytes = Math.round(Math.min(max, Math.max(min, bytes)));
    this.#changedAt = now;
    this.#wasReached = false;
    this.measureFrom(now);
    return true;
  }
}
