/**
 * Decides when a part that has ended is restarted: at once the first time, then after pauses that double, and not at
 * all after too many ends within a minute. Pure.
 */

/** A temporary fault (a full disk, a manual kill) does not end a part this often; a broken installation does. */
export const ENDS_MAX = 5;
export const WITHIN_MS = 60_000;

const FIRST_PAUSE_MS = 250;

type RestartDecision = { readonly name: 'restart'; readonly afterMs: number } | { readonly name: 'give_up' };

export class RestartPace {
  #ends: readonly number[] = [];

  /** The part ended at `now`, in milliseconds of any monotonic clock. */
  ended(now: number): RestartDecision {
    this.#ends = [...this.#ends.filter((at) => now - at < WITHIN_MS), now];
    const count = this.#ends.length;
    if (count > ENDS_MAX) return { name: 'give_up' };
    return { name: 'restart', afterMs: count === 1 ? 0 : FIRST_PAUSE_MS * 2 ** (count - 2) };
  }
}
