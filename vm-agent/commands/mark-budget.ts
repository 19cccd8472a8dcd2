/** How many marks may be read: as many as a second brings, at once, and then as time passes. Callers pass the time. */
import { MARKS_PER_S_MAX } from '../../protocol/limits.ts';

export class MarkBudget {
  #left = MARKS_PER_S_MAX;
  #at: number;

  constructor(now: number) {
    this.#at = now;
  }

  /** False if there have been too many. */
  take(now: number): boolean {
    const refilled = ((now - this.#at) / 1000) * MARKS_PER_S_MAX;
    this.#left = Math.min(MARKS_PER_S_MAX, this.#left + Math.max(0, refilled));
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
