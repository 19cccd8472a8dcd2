/** A round trip as a person would state it: the last ones weigh most, one slow one does not change the picture. */
const WEIGHT_OF_LAST = 0.25;

export class RoundTrip {
  #ms: number | null = null;

  /** Null until one was measured. */
  get ms(): number | null {
    return this.#ms;
  }

  measured(ms: number): void {
    this.#ms = this.#ms === null ? ms : this.#ms + WEIGHT_OF_LAST * (ms - this.#ms);
  }
}
