/**
 * Limits how much text one client is sent. A socket accepts any amount and does not report what was read, so this
 * bounds the memory that a client can use up by asking and not reading. Rule RL16.
 */
import { TOLD_BURST_MAX_BYTES, TOLD_MAX_BYTES, TOLD_PER_S_MAX_BYTES } from '../../protocol/limits.ts';
import { Bucket } from './bucket.ts';

/** A bucket allows a debt of its own capacity, so half of the burst is its size. */
const SIZE = { capacity: TOLD_BURST_MAX_BYTES / 2, refillPerS: TOLD_PER_S_MAX_BYTES };

export class ToldMeter {
  readonly #bucket: Bucket;
  #total = 0;

  constructor(now: number) {
    this.#bucket = new Bucket(now, SIZE);
  }

  /** Counts text to be sent. False when it exceeds the limit. */
  tells(bytes: number, now: number): boolean {
    this.#total += bytes;
    return this.#bucket.take(bytes, now) !== 'over' && this.#total <= TOLD_MAX_BYTES;
  }
}
