/** Waits for text to appear on a screen. */

/** Sooner than the runner's time-out, which cannot say what was shown. */
const LONG_MS = 45_000;
const LAST_CHARS = 2_000;

export class Sightings {
  readonly #text: () => string;
  #waiting: (() => void)[] = [];

  constructor(text: () => string) {
    this.#text = text;
  }

  /** Resolves when `pattern` is shown; if it never is, the test times out. */
  async of(pattern: RegExp): Promise<RegExpMatchArray> {
    const told = setTimeout(() => {
      console.error(`Still waiting for ${pattern}. This is shown:\n${this.#text().slice(-LAST_CHARS)}`);
    }, LONG_MS);
    told.unref();
    for (;;) {
      const match = this.#text().match(pattern);
      if (match !== null) {
        clearTimeout(told);
        return match;
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** The screen has changed. */
  changed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
