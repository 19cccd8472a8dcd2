/** Full at its limit, and full until half empty: what is paused at the brim must not flutter there. */
export class Watermark {
  readonly #limit: number;
  #level = 0;
  #isFull = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get level(): number {
    return this.#level;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  set(level: number): void {
    this.#level = level;
    if (level >= this.#limit) this.#isFull = true;
    else if (level <= this.#limit / 2) this.#isFull = false;
  }
}
