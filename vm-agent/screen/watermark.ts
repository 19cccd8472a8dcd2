/**
 * Becomes full at its limit and stays full until there is some room, so that pausing and resuming do not alternate
 * rapidly.
 */
export class Watermark {
  /** May change, like `room`; both count from the next `set`. */
  limit: number;
  /** How much room there must be; half of the limit if undefined. */
  room: number | undefined;
  #level = 0;
  #isFull = false;

  constructor(limit: number) {
    this.limit = limit;
  }

  get level(): number {
    return this.#level;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  set(level: number): void {
    this.#level = level;
    if (level >= this.limit) this.#isFull = true;
    else if (level <= this.limit - (this.room ?? this.limit / 2)) this.#isFull = false;
  }
}
