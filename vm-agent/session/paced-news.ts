/**
 * News of a session that anybody may cause as often as they like, such as attaching and leaving: told at once while it
 * is seldom, then at most twice a second, the last of it always. What is told is written down by the relay. Rule AG9.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** More at once than people come and go. */
export const NEWS_BURST = 16;

/** One more for each of these. */
export const NEWS_EVERY_MS = 500;

interface Budget {
  /** When everything told so far would have been told at the steady rate. */
  paidUntil: number;
  later: Cancel | undefined;
}

export class PacedNews<T extends object> {
  readonly #clock: Clock;
  readonly #tell: (about: T) => void;
  readonly #budgets = new Map<T, Budget>();

  constructor(clock: Clock, tell: (about: T) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  changed(about: T): void {
    const budget = this.#budgets.get(about) ?? { paidUntil: 0, later: undefined };
    this.#budgets.set(about, budget);
    if (budget.later !== undefined) return;
    const now = this.#clock.now();
    budget.paidUntil = Math.max(now, budget.paidUntil) + NEWS_EVERY_MS;
    const early = budget.paidUntil - now - NEWS_BURST * NEWS_EVERY_MS;
    if (early <= 0) return this.#tell(about);
    budget.later = this.#clock.after(early, () => {
      budget.later = undefined;
      this.#tell(about);
    });
  }

  /** It is gone: nothing more is told of it. */
  forget(about: T): void {
    this.#budgets.get(about)?.later?.();
    this.#budgets.delete(about);
  }
}
