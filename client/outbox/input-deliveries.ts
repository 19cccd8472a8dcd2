/**
 * What became of texts that were typed as a whole, for those who want to know: the program has taken all of it, or it
 * was discarded. Positions are counted from the oldest byte that is not acknowledged.
 */

/**
 * `taken`: by the program. `dropped`: nothing of it was ever sent. `unsure`: some of it was sent, and may have been
 * taken.
 */
export type Delivery = 'taken' | 'dropped' | 'unsure';

interface Watched {
  /** How many bytes are to be acknowledged until all of it is taken. */
  readonly left: number;
  readonly length: number;
  readonly settled: (delivery: Delivery) => void;
}

export class InputDeliveries {
  #watched: readonly Watched[] = [];

  /** `pendingBytes`: all that is not acknowledged, of which these `length` bytes are the last. */
  watch(pendingBytes: number, length: number, settled: (delivery: Delivery) => void): void {
    this.#watched = [...this.#watched, { left: pendingBytes, length, settled }];
  }

  took(bytes: number): void {
    const moved = this.#watched.map((one) => ({ ...one, left: one.left - bytes }));
    this.#settle(moved, ({ left }) => (left <= 0 ? 'taken' : null));
  }

  /** Only the first `kept` bytes are still to be sent. `sent`: how many of all were sent at least once. */
  gaveUp({ kept, sent }: { readonly kept: number; readonly sent: number }): void {
    this.#settle(this.#watched, ({ left, length }) => {
      if (left <= kept) return null;
      return left - length < sent || left < length ? 'unsure' : 'dropped';
    });
  }

  /** Last, because whoever is told may type again. */
  #settle(all: readonly Watched[], outcome: (one: Watched) => Delivery | null): void {
    this.#watched = all.filter((one) => outcome(one) === null);
    for (const one of all) {
      const delivery = outcome(one);
      if (delivery !== null) one.settled(delivery);
    }
  }
}
