/**
 * How much each token may take of something, in a bucket of its own (bucket.ts). In the memory of an isolate or an
 * object: a limiter that forgets lets a little more through. Rules RL16 and RL24.
 */
import { METERED_TOKENS_MAX } from '../../protocol/limits.ts';
import { type Owner, ownerKey } from '../peers/owner.ts';
import { Bucket, type BucketSize } from './bucket.ts';

export class TokenMeter {
  readonly #size: BucketSize;
  /** The least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(size: BucketSize) {
    this.#size = size;
  }

  get tokens(): number {
    return this.#buckets.size;
  }

  /** How long until this token owes nothing; 0 when it may take more. */
  waitMs(owner: Owner, now: number): number {
    return this.take(owner, 0, now);
  }

  /** Takes, and says how long the token then has to wait before it takes more. */
  take(owner: Owner, cost: number, now: number): number {
    const bucket = this.#bucketOf(owner, now);
    bucket.take(cost, now);
    return bucket.retryAfterMs;
  }

  #bucketOf(owner: Owner, now: number): Bucket {
    const key = ownerKey(owner);
    const bucket = this.#buckets.get(key) ?? new Bucket(now, this.#size);
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > METERED_TOKENS_MAX && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}
