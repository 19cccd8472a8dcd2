/**
 * Runs a task when nothing has happened for a while. Events come thousands of times a second, so they do not restart
 * the timer: when it fires, it checks when the last one was.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';

/** Retry delay if the task could not run. */
const RETRY_MS = 1000;

export class IdleTimer {
  readonly #clock: Clock;
  readonly #afterMs: number;
  readonly #task: () => boolean;
  #touchedAt = 0;
  #cancel: Cancel | undefined;

  /** `task` returns whether it was done; if so, the timer stops until it is started again. */
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

  /** Time since the last event. */
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
