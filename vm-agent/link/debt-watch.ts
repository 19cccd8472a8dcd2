/**
 * Asks the relay who is connected when a client owes acknowledgements. A client whose network died does not close its
 * socket, and the relay is not woken to check without a reason; this is one. Rule RL9.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** Far above a slow round trip or a busy page; an older debt is worth a question. */
export const DEBT_AFTER_MS = 5_000;

interface DebtOptions {
  readonly clock: Clock;
  /** Whether any client owes an acknowledgement now. */
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

  /** Something was sent that needs an acknowledgement. One check covers everything sent meanwhile. */
  sent(): void {
    this.#waiting ??= this.#options.clock.after(DEBT_AFTER_MS, () => {
      this.#waiting = null;
      if (this.#options.owed()) this.#options.ask(`debt-${++this.#questions}`);
    });
  }
}
