/**
 * How much one client may send. A bucket that refills with time: while it holds something, everything passes;
 * once it is empty the client is asked to slow down and still nothing is lost; when it owes as much as the
 * bucket holds, the connection is closed. Rule RL12.
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

export type Judgement = 'pass' | 'slow' | 'over';

export class Bucket {
  #level = CAPACITY;
  #at: number;
  #asked = false;

  constructor(now: number) {
    this.#at = now;
  }

  /** When this client last sent anything. */
  get lastAt(): number {
    return this.#at;
  }

  /** How long until nothing is owed. */
  get retryAfterMs(): number {
    return Math.max(0, Math.ceil((-this.#level * 1000) / REFILL_PER_S));
  }

  /** `slow` is said once per excess, so that the request to slow down is no flood itself. */
  take(cost: number, now: number): Judgement {
    // A wall clock may go back; that refills nothing.
    const refilled = this.#level + (Math.max(0, now - this.#at) * REFILL_PER_S) / 1000;
    this.#level = Math.min(CAPACITY, refilled) - cost;
    this.#at = now;
    if (this.#level >= 0) {
      this.#asked = false;
      return 'pass';
    }
    if (this.#level < -CAPACITY) return 'over';
    if (this.#asked) return 'pass';
    this.#asked = true;
    return 'slow';
  }
}
