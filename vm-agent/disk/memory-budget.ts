/** Limits the unwritten output of all sessions together, so that a broken disk does not fill the memory. */
export class MemoryBudget {
  readonly #limitBytes: number;
  #heldBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  fits(bytes: number): boolean {
    return this.#heldBytes + bytes <= this.#limitBytes;
  }

  hold(bytes: number): void {
    this.#heldBytes += bytes;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }
}
