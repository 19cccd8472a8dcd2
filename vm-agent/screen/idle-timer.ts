/**
 * Runs a task when nothing has happened for a while. Things happen thousands of times a second, so they do
 * not restart the timer: it looks, when it runs out, how long ago the last one was.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** How soon to look again when the task said that it could not be done now. */
const RETRY_MS = 1000;

export class IdleTimer {
  readonly #clock: Clock;
  readonly #afterMs: number;
  readonly #task: () => boolean;
  #touchedAt = 0;
  #cancel: Cancel | undefined;

  /** `task` returns whether it was done; then the timer rests until it is started again. */
  constructor(clock: Clock, afterMs: number, task: () => boolean) {
    this.#clock = clock;
    this.#afterMs = afterMs;
    this.#task = task;
  }

  start(): void {
    this.touch();
    this.#wait(this.#afterMs);
  }

  touch(): void {
    this.#touchedAt = this.#clock.now();
  }

  /** For how long nothing has happened. */
  get quietMs(): number {
    return this.#clock.now() - this.#touchedAt;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(ms: number): void {
    this.stop();
    this.#cancel = this.#clock.after(ms, () => this.#look());
  }

  #look(): void {
    this.#cancel = undefined;
    const leftMs = this.#afterMs - this.quietMs;
    if (leftMs > 0) this.#wait(leftMs);
    else if (!this.#task()) this.#wait(RETRY_MS);
  }
}
