/**
 * Counts requests that wait. The runtime does not say that a caller has hung up while its request waits: the request just
 * runs no further, and whoever counted it would count it for good. So one that has not left within the longest wait is
 * forgotten. Rules RL17, RL24.
 */
export class Waiters {
  readonly #longestMs: number;
  /** Those that have joined since `#at`, and in the period before. */
  #recent = 0;
  #earlier = 0;
  #at = 0;

  /** `longestMs`: no request waits for longer. */
  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  /** How many wait, at most. */
  count(now: number): number {
    this.#pass(now);
    return this.#earlier + this.#recent;
  }

  join(now: number): void {
    this.#pass(now);
    this.#recent++;
  }

  leave(): void {
    if (this.#earlier > 0) this.#earlier--;
    else if (this.#recent > 0) this.#recent--;
  }

  /** If the wall clock went back, a new period begins. */
  #pass(now: number): void {
    const passedMs = now - this.#at;
    if (passedMs >= 0 && passedMs < this.#longestMs) return;
    this.#earlier = passedMs >= 0 && passedMs < 2 * this.#longestMs ? this.#recent : 0;
    this.#recent = 0;
    this.#at = now;
  }
}
