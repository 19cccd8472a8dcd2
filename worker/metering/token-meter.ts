/** Limits how much each token may take of something (meter.ts). Rules RL16 and RL24. */
import { type Owner, ownerKey } from '../peers/owner.ts';
import type { BucketSize } from './bucket.ts';
import { Meter } from './meter.ts';

export class TokenMeter {
  readonly #meter: Meter;

  constructor(size: BucketSize) {
    this.#meter = new Meter(size);
  }

  get tokens(): number {
    return this.#meter.count;
  }

  /** How long until this token's debt is paid; 0 when it may take more. */
  waitMs(owner: Owner, now: number): number {
    return this.#meter.waitMs(ownerKey(owner), now);
  }

  /** Takes `cost`; returns how long the token must wait before it takes more. */
  take(owner: Owner, cost: number, now: number): number {
    return this.#meter.take(ownerKey(owner), cost, now);
  }
}
