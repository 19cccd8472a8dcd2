/**
 * Limits how often the relay is told about changes that anybody can cause, such as attaching and leaving, because the
 * relay stores each one. The first changes are told at once, later ones at most twice a second, and the last one
 * always. Rule AG9.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** More than people come and go at once. */
export const NEWS_BURST = 16;

/** One more change is allowed per this interval. */
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

  /** It is gone: nothing more is told about it. */
  forget(about: T): void {
    this.#budgets.get(about)?.later?.();
    this.#budgets.delete(about);
  }
}
