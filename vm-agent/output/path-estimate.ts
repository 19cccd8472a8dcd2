/** What acknowledgements tell about the path to a client: its shortest round trip and the rate at which it delivers. */

/** The queue to aim for when it is too long: enough to keep the path busy while the client pauses. */
const AIM_MS = 45;

/**
 * A delivery rate is valid for this long: one late acknowledgement says nothing about the path, a second of them does.
 */
const RATE_FOR_MS = 1_000;

/** The shortest round trip is measured again after this time: a laptop may change networks. */
const SHORTEST_FOR_MS = 30_000;

export class PathEstimate {
  #shortestMs = Number.POSITIVE_INFINITY;
  #shortestSince = 0;
  /** The best recent delivery rate, in bytes per millisecond. */
  #bestRate = 0;
  #bestRateAt = 0;

  get shortestMs(): number {
    return this.#shortestMs;
  }

  /** What the path carries, plus a little. */
  get enoughBytes(): number {
    return this.#bestRate * (this.#shortestMs + AIM_MS);
  }

  /** Something was acknowledged this long after it was sent. */
  roundTrip(ms: number, now: number): void {
    if (ms > this.#shortestMs && now - this.#shortestSince <= SHORTEST_FOR_MS) return;
    this.#shortestMs = ms;
    this.#shortestSince = now;
  }

  /** `bytes` were delivered in this time. Shorter periods than a round trip are noise. */
  delivered(bytes: number, elapsedMs: number, now: number): void {
    if (elapsedMs < Math.max(1, this.#shortestMs)) return;
    const rate = bytes / elapsedMs;
    if (rate < this.#bestRate && now - this.#bestRateAt < RATE_FOR_MS) return;
    this.#bestRate = rate;
    this.#bestRateAt = now;
  }
}
