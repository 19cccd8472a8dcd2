/**
 * Tells when a session that printed something has printed nothing more for a moment. An idle session costs nothing, and
 * one that prints all the time costs a timer per moment.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** Longer than programs pause between two lines, and shorter than a person who is asked should wait to be told. */
export const QUIET_BEFORE_GUESS_MS = 1_000;

export class QuietWatch {
  readonly #clock: Clock;
  readonly #quiet: () => void;
  #printedAt = 0;
  #timer: Cancel | null = null;

  constructor(clock: Clock, quiet: () => void) {
    this.#clock = clock;
    this.#quiet = quiet;
  }

  /** Called for every read of the terminal. */
  printed(): void {
    this.#printedAt = this.#clock.now();
    this.#timer ??= this.#clock.after(QUIET_BEFORE_GUESS_MS, () => this.#look());
  }

  stop(): void {
    this.#timer?.();
    this.#timer = null;
  }

  #look(): void {
    const left = this.#printedAt + QUIET_BEFORE_GUESS_MS - this.#clock.now();
    this.#timer = left > 0 ? this.#clock.after(left, () => this.#look()) : null;
    if (this.#timer === null) this.#quiet();
  }
}
