/**
 * How much somebody may send or be sent. A bucket that refills with time: while it holds something, everything passes;
 * once it is empty the client is asked to slow down and still nothing is lost; when it owes as much as the
 * bucket holds, the connection is closed. Rules RL12, RL16, RL17, RL24 and RL27.
 *
 * Two additions and a comparison per message, in memory only: after an eviction a client starts with a full
 * bucket, which is no more than a new connection gets.
 */

/** Mouse tracking in a large window comes to some 1000 frames a second; twice that is nobody's hand. */
export const REFILL_PER_S = 2_000;

/** Two seconds' worth at once: a paste of 1 MiB in 64 KiB frames is 272. */
export const CAPACITY = 4_000;

/** A frame costs one, and one more for each 4 KiB: at most 7 MiB/s of large frames. */
const BYTES_PER_UNIT = 4_096;

/** A control message is parsed, and may read the registry: at most 100 a second. */
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

  /** How long until nothing is owed. */
  get retryAfterMs(): number {
    return Math.max(0, Math.ceil((-this.#level * 1000) / this.#refillPerS));
  }

  /** Whether something is owed. */
  get isEmpty(): boolean {
    return this.#level < 0;
  }

  /** `slow` is said once per excess, so that the request to slow down is no flood itself. */
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
