/**
 * A set of rate limiters (bucket.ts), one for each key. Kept in the memory of an isolate or an object: a restart
 * forgets the debts, which lets a little more through. Rules RL16 and RL24.
 */
import { METERED_TOKENS_MAX } from '../../protocol/limits.ts';
import { Bucket, type BucketSize } from './bucket.ts';

export class Meter {
  readonly #size: BucketSize;
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(size: BucketSize) {
    this.#size = size;
  }

  get count(): number {
    return this.#buckets.size;
  }

  /** How long until the debt is paid; 0 when more may be taken. */
  waitMs(key: string, now: number): number {
    return this.take(key, 0, now);
  }

  /** Takes `cost`; returns how long to wait before taking more. */
  take(key: string, cost: number, now: number): number {
    const bucket = this.#bucketOf(key, now);
    bucket.take(cost, now);
    return bucket.retryAfterMs;
  }

  #bucketOf(key: string, now: number): Bucket {
    const bucket = this.#buckets.get(key) ?? new Bucket(now, this.#size);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > METERED_TOKENS_MAX && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
