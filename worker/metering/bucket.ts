/**
 * A rate limiter: a bucket of units that refills with time. It limits how much a client may send or be sent. While it
 * is above zero, everything passes. Below zero the client is asked to slow down, and still nothing is dropped. When the
 * debt reaches the bucket's capacity, the connection is closed. Rules RL12, RL16, RL17, RL24 and RL27.
 *
 * It costs two additions and a comparison per message, and lives in memory only. After an eviction a client starts with
 * a full bucket, which is no more than a new connection gets.
 */

/** Mouse tracking in a large window sends about 1000 frames a second. No person produces twice that by hand. */
export const REFILL_PER_S = 2_000;

/** Two seconds' worth at once: a paste of 1 MiB in 64 KiB frames costs 272. */
export const CAPACITY = 4_000;

/** A frame costs one, and one more for each 4 KiB, which allows at most 7 MiB/s of large frames. */
const BYTES_PER_UNIT = 4_096;

/** A control message is parsed and may read the registry, so at most 100 a second are allowed. */
export const CONTROL_COST = 20;

export const frameCost = (bytes: number): number => 1 + bytes / BYTES_PER_UNIT;

export type PaceJudgement = 'pass' | 'slow' | 'over';

export interface BucketSize {
  readonly capacity: number;
  readonly refillPerS: number;
}

const OF_A_CLIENT: BucketSize = { capacity: CAPACITY, refillPerS: REFILL_PER_S };

export class Bucket {
  readonly #capacity: number;
  readonly #refillPerS: number;
  #level: number;
  #at: number;
  #asked = false;

  constructor(now: number, { capacity, refillPerS }: BucketSize = OF_A_CLIENT) {
    this.#capacity = capacity;
    this.#refillPerS = refillPerS;
    this.#level = capacity;
    this.#at = now;
  }

  /** How long until the debt is paid. */
  get retryAfterMs(): number {
    return Math.max(0, Math.ceil((-this.#level * 1000) / this.#refillPerS));
  }

  /** Whether the bucket is in debt. */
  get isEmpty(): boolean {
    return this.#level < 0;
  }

  /** Returns `slow` only once per debt, so that the request to slow down is not itself a flood. */
  take(cost: number, now: number): PaceJudgement {
    // A wall clock may go back; that refills nothing.
    const refilled = this.#level + (Math.max(0, now - this.#at) * this.#refillPerS) / 1000;
    this.#level = Math.min(this.#capacity, refilled) - cost;
    this.#at = now;
    if (this.#level >= 0) {
      this.#asked = false;
      return 'pass';
    }
    if (this.#level < -this.#capacity) return 'over';
    if (this.#asked) return 'pass';
    this.#asked = true;
    return 'slow';
  }
}
