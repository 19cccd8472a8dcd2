/**
 * How many HTTP requests one token may make, and how much it may be answered. In the memory of an isolate: a limiter that
 * forgets is one that lets a little more through. Rule RL24.
 */
import { REQUEST_TOKENS_MAX, REQUESTS_BURST_MAX, REQUESTS_PER_S_MAX } from '../protocol/limits.ts';
import { Bucket } from './bucket.ts';

/** An answer costs as much as this many bytes of it, one request each. */
const BYTES_PER_REQUEST = 16 * 1024;

const OF_A_TOKEN = { capacity: REQUESTS_BURST_MAX, refillPerS: REQUESTS_PER_S_MAX };

export class RequestMeter {
  /** The least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  get tokens(): number {
    return this.#buckets.size;
  }

  /** How long this token has to wait; 0 when its request passes, and is counted. */
  waitMs(tokenId: string, now: number): number {
    const bucket = this.#bucketOf(tokenId, now);
    bucket.take(0, now);
    if (bucket.retryAfterMs > 0) return bucket.retryAfterMs;
    bucket.take(1, now);
    return 0;
  }

  /** A large answer was put together for it: its next requests wait for that. */
  answered(tokenId: string, bytes: number, now: number): void {
    this.#bucketOf(tokenId, now).take(bytes / BYTES_PER_REQUEST, now);
  }

  #bucketOf(tokenId: string, now: number): Bucket {
    const bucket = this.#buckets.get(tokenId) ?? new Bucket(now, OF_A_TOKEN);
    this.#buckets.delete(tokenId);
    this.#buckets.set(tokenId, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > REQUEST_TOKENS_MAX && oldest !== undefined) this.#buckets.delete(oldest);
    return bucket;
  }
}

/** Of this isolate. */
export const requestMeter = new RequestMeter();
