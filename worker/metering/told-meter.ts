/**
 * How much text one client was sent. A socket takes whatever it is given and does not say what was read, so this is
 * what bounds the memory that a client can hold by asking and not reading. Rule RL16.
 */
import { TOLD_BURST_MAX_BYTES, TOLD_MAX_BYTES, TOLD_PER_S_MAX_BYTES } from '../../protocol/limits.ts';
import { Bucket } from './bucket.ts';

/** A bucket may be owed as much as it holds. */
const SIZE = { capacity: TOLD_BURST_MAX_BYTES / 2, refillPerS: TOLD_PER_S_MAX_BYTES };

export class ToldMeter {
  readonly #bucket: Bucket;
  #total = 0;

  constructor(now: number) {
    this.#bucket = new Bucket(now, SIZE);
  }

  /** Whether so much more may be sent. */
  tells(bytes: number, now: number): boolean {
    this.#total += bytes;
    return this.#bucket.take(bytes, now) !== 'over' && this.#total <= TOLD_MAX_BYTES;
  }
}
