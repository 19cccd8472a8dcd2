/**
 * Shares a rate among those who use it, such as the workspaces of an isolate: each of those that are busy gets an equal
 * part, however many requests it has. Only numbers are shared, so no request waits for a timer of another, and each
 * knows at once how long it waits.
 */
export class FairShares {
  readonly #perSecond: number;
  /** What has not passed yet, by key. Whoever ends releases nothing, because the work was done. */
  readonly #ahead = new Map<string, number>();
  #at = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** How many are busy. */
  get busy(): number {
    return this.#ahead.size;
  }

  /** What of this one has not passed yet. */
  ahead(key: string, now: number): number {
    this.#pass(now);
    return this.#ahead.get(key) ?? 0;
  }

  /** Adds `cost`; returns how long until everything of this one would have passed. */
  take(key: string, cost: number, now: number): number {
    const ahead = this.ahead(key, now) + cost;
    this.#ahead.set(key, ahead);
    return (ahead / this.#share) * 1000;
  }

  get #share(): number {
    return this.#perSecond / this.#ahead.size;
  }

  /** Subtracts what has passed since the last call. If the wall clock went back, nothing has passed. */
  #pass(now: number): void {
    const gone = (this.#share * Math.max(0, now - this.#at)) / 1000;
    this.#at = now;
    for (const [key, ahead] of this.#ahead) {
      if (ahead > gone) this.#ahead.set(key, ahead - gone);
      else this.#ahead.delete(key);
    }
  }
}
