/** Limits the bytes of lists that each token is sent, over all its connections and HTTP. Rule RL16. */
import { LISTS_BURST_MAX_BYTES, LISTS_PER_S_MAX_BYTES } from '../../protocol/limits.ts';
import type { Owner } from '../peers/owner.ts';
import type { BucketSize } from './bucket.ts';
import { TokenMeter } from './token-meter.ts';
import type { Turn } from './turn.ts';

const LISTS: BucketSize = { capacity: LISTS_BURST_MAX_BYTES, refillPerS: LISTS_PER_S_MAX_BYTES };

/** How many bytes of a list are built and sent in the time of one unit of a turn. */
const LIST_BYTES_PER_UNIT = 2048;

export class ListMeter {
  readonly #meter = new TokenMeter(LISTS);
  readonly #turn: Turn;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  /** How long this token must wait before it asks for another list; 0 when it need not. */
  waitMs(owner: Owner, now: number): number {
    return this.#meter.waitMs(owner, now);
  }

  /** Charges a list, or a page of one, to this token and to the workspace's turn. */
  took(owner: Owner, bytes: number, now: number): void {
    this.#meter.take(owner, bytes, now);
    this.#turn.spend(bytes / LIST_BYTES_PER_UNIT, now);
  }
}
