/**
 * Delays error answers when many requests are refused. A client that guesses tokens or addresses waits for each answer
 * before its next try, and a refusal costs the relay nearly as much as a real answer. Kept in the memory of one
 * isolate. Rule RL24.
 */
import {
  REFUSAL_DELAY_MS,
  REFUSALS_BURST_MAX,
  REFUSALS_HELD_MAX,
  REFUSALS_PER_S_MAX,
} from '../../protocol/limits.ts';
import { Bucket } from './bucket.ts';

/** Statuses of requests that should not have been sent, or not now. Other errors are part of normal use. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 429]);

/** Delayed answers are spread over time, so that clients that retry at once do not all return together. */
const SPREAD = 32;
const SPREAD_MS = 16;
const HELD_AT_MOST_S = (REFUSAL_DELAY_MS + SPREAD * SPREAD_MS) / 1000;

export class LateRefusals {
  readonly #bucket = new Bucket(0, { capacity: REFUSALS_BURST_MAX, refillPerS: REFUSALS_PER_S_MAX });
  /**
   * An estimate of the answers being held, which assumes the longest delay for each: the runtime does not report a
   * caller that disconnects while it waits.
   */
  readonly #held = new Bucket(0, {
    capacity: REFUSALS_HELD_MAX - 1,
    refillPerS: REFUSALS_HELD_MAX / HELD_AT_MOST_S,
  });
  #turn = 0;

  /** How long to delay an answer with this status; 0 for no delay. */
  delayMs(status: number, now: number): number {
    if (!REFUSALS.has(status)) return 0;
    this.#bucket.take(1, now);
    if (!this.#bucket.isEmpty) return 0;
    // Holding more answers than the limit would only use memory.
    this.#held.take(0, now);
    if (this.#held.isEmpty) return 0;
    this.#held.take(1, now);
    return REFUSAL_DELAY_MS + (this.#turn++ % SPREAD) * SPREAD_MS;
  }
}
