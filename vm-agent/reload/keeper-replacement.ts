/** Judges from what is seen of a keeper, again and again, whether it has replaced itself. Pure. */

export interface KeeperSight {
  /** How often it has replaced itself. */
  readonly takeOvers: number;
  /** Whether it is trying out the new keeper. */
  readonly isChecking: boolean;
  readonly agents: readonly number[];
}

/**
 * For how long after a check nothing may happen: the agent has two seconds to leave, and another second may pass until
 * it is known how a program ended.
 */
export const SETTLED_MS = 5_000;

export class KeeperReplacement {
  readonly #before: KeeperSight;
  #hasSeenCheck = false;
  #checkedAt: number | null = null;

  /** `before`: at the time of the request. */
  constructor(before: KeeperSight) {
    this.#before = before;
  }

  /** Null while neither is sure. */
  look({ takeOvers, isChecking, agents }: KeeperSight, now: number): 'replaced' | 'failed' | null {
    if (takeOvers > this.#before.takeOvers) return agents.length > 0 ? 'replaced' : null;
    if (isChecking) {
      this.#hasSeenCheck = true;
      this.#checkedAt = null;
    } else if (this.#hasSeenCheck) this.#checkedAt ??= now;
    return this.#checkedAt !== null && now - this.#checkedAt >= SETTLED_MS ? 'failed' : null;
  }
}
