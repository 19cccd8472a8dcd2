/**
 * How often a part that keeps ending is started again: at once the first time, then after pauses that double, and no
 * more when it has ended too often within a minute. Pure.
 */

/** A fault that passes (a full disk, a kill by hand) does not end a part this often; a broken installation does. */
export const ENDS_MAX = 5;
export const WITHIN_MS = 60_000;

const FIRST_PAUSE_MS = 250;

type RestartDecision = { readonly name: 'restart'; readonly afterMs: number } | { readonly name: 'give_up' };

export class RestartPace {
  #ends: readonly number[] = [];

  /** The part has ended at `now`, in milliseconds of any clock that does not go back. */
  ended(now: number): RestartDecision {
    this.#ends = [...this.#ends.filter((at) => now - at < WITHIN_MS), now];
    const count = this.#ends.length;
    if (count > ENDS_MAX) return { name: 'give_up' };
    return { name: 'restart', afterMs: count === 1 ? 0 : FIRST_PAUSE_MS * 2 ** (count - 2) };
  }
}
