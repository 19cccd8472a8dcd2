/**
 * Answers late when many requests are refused: whoever tries tokens or addresses waits for an answer before it tries
 * the next one, and a refusal costs the relay nearly as much as an answer. In the memory of one isolate. Rule RL24.
 */
import {
  REFUSAL_DELAY_MS,
  REFUSALS_BURST_MAX,
  REFUSALS_HELD_MAX,
  REFUSALS_PER_S_MAX,
} from '../../protocol/limits.ts';
import { Bucket } from './bucket.ts';

/** What says that the request should not have been made, or not now. Others are part of somebody's work. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 429]);

/** Those that are held together are answered one after the other: whoever tries again at once does not come in a wave. */
const SPREAD = 32;
const SPREAD_MS = 16;
const HELD_AT_MOST_S = (REFUSAL_DELAY_MS + SPREAD * SPREAD_MS) / 1000;

export class LateRefusals {
  readonly #bucket = new Bucket(0, { capacity: REFUSALS_BURST_MAX, refillPerS: REFUSALS_PER_S_MAX });
  /** Those that are held, over the longest delay: a caller that goes away while it waits is never heard of again. */
  readonly #held = new Bucket(0, {
    capacity: REFUSALS_HELD_MAX - 1,
    refillPerS: REFUSALS_HELD_MAX / HELD_AT_MOST_S,
  });
  #turn = 0;

  /** How long an answer with this status is to be held back; 0 for not at all. */
  delayMs(status: number, now: number): number {
    if (!REFUSALS.has(status)) return 0;
    this.#bucket.take(1, now);
    if (!this.#bucket.isEmpty) return 0;
    // Those beyond a limit would only take memory.
    this.#held.take(0, now);
    if (this.#held.isEmpty) return 0;
    this.#held.take(1, now);
    return REFUSAL_DELAY_MS + (this.#turn++ % SPREAD) * SPREAD_MS;
  }
}
