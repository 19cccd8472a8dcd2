/** The edge in front of all workspaces: it accepts a number of handshakes per second. */

export class Edge {
  readonly #perSecond: number;
  #tokens: number;
  #filledAt = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
  }

  /** Whether it takes one more. */
  takes(nowMs: number): boolean {
    if (!Number.isFinite(this.#perSecond)) return true;
    const refill = ((nowMs - this.#filledAt) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + refill);
    this.#filledAt = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
