/** Waiting for something to be shown on a screen. */
export class Sightings {
  readonly #text: () => string;
  #waiting: (() => void)[] = [];

  constructor(text: () => string) {
    this.#text = text;
  }

  /** Resolves when `pattern` is shown; the runner's time-out tells when it never is. */
  async of(pattern: RegExp): Promise<RegExpMatchArray> {
    for (;;) {
      const match = this.#text().match(pattern);
      if (match !== null) return match;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Something is shown that was not. */
  changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
