/**
 * Delays answers to requests without a credential when there are many. The runtime answers requests that were sent
 * without waiting for each other one after the other, and looks at no other connection meanwhile: a few connections
 * would have the relay for themselves. Any delay ends that, and as many connections as anybody can open would still keep
 * it busy if the delay did not grow with them. Kept in the memory of one isolate. Rule RL24.
 */
import {
  PUBLIC_BURST_MAX,
  PUBLIC_DELAY_MAX_MS,
  PUBLIC_DELAY_MS,
  PUBLIC_PER_S_MAX,
} from '../../protocol/limits.ts';
import { Bucket } from './bucket.ts';

export class PublicPace {
  readonly #bucket = new Bucket(0, { capacity: PUBLIC_BURST_MAX, refillPerS: PUBLIC_PER_S_MAX });

  /** How long to delay the answer to one more request; 0 for no delay. */
  delayMs(now: number): number {
    this.#bucket.take(0, now);
    const isDelayed = this.#bucket.isEmpty;
    // Beyond the longest delay there is no further debt: whoever has stopped sending must not delay others for long.
    if (this.#bucket.retryAfterMs < PUBLIC_DELAY_MAX_MS) this.#bucket.take(1, now);
    if (!isDelayed) return 0;
    return Math.min(PUBLIC_DELAY_MAX_MS, Math.max(PUBLIC_DELAY_MS, this.#bucket.retryAfterMs));
  }
}
