/**
 * Asks the relay who is there when a client owes acknowledgements. A client whose path has died closes nothing,
 * and the relay is not woken to look for it without a reason; this is one. Rule RL9.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** Far above a slow round trip and a busy page; what is owed for longer is worth a question. */
export const DEBT_AFTER_MS = 5_000;

interface DebtOptions {
  readonly clock: Clock;
  /** Whether anybody owes anything right now. */
  readonly owed: () => boolean;
  readonly ask: (question: string) => void;
}

export class DebtWatch {
  readonly #options: DebtOptions;
  #waiting: Cancel | null = null;
  #questions = 0;

  constructor(options: DebtOptions) {
    this.#options = options;
  }

  /** Something was sent that is to be acknowledged. One look for all that is sent meanwhile. */
  sent(): void {
    this.#waiting ??= this.#options.clock.after(DEBT_AFTER_MS, () => {
      this.#waiting = null;
      if (this.#options.owed()) this.#options.ask(`debt-${++this.#questions}`);
    });
  }
}
