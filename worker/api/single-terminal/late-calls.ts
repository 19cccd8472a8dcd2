/** Runs delayed calls in the order in which they were scheduled, with one timer for all of them. */
import type { Cancel, Clock } from '../../../protocol/clock.ts';

interface LateCall {
  readonly dueAt: number;
  readonly run: () => void;
}

export class LateCalls {
  readonly #clock: Clock;
  #waiting: LateCall[] = [];
  #cancel: Cancel | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(delayMs: number, run: () => void): void {
    this.#waiting.push({ dueAt: this.#clock.now() + delayMs, run });
    if (this.#cancel === null) this.#wait();
  }

  /** Cancels all calls, for good. */
  stop(): void {
    this.#cancel?.();
    this.#waiting = [];
  }

  #wait(): void {
    const [first] = this.#waiting;
    this.#cancel =
      first === undefined
        ? null
        : this.#clock.after(Math.max(0, first.dueAt - this.#clock.now()), () => this.#runDue());
  }

  /** A call that is due waits for those scheduled before it. */
  #runDue(): void {
    const now = this.#clock.now();
    const waits = this.#waiting.findIndex(({ dueAt }) => dueAt > now);
    const due = this.#waiting.splice(0, waits < 0 ? this.#waiting.length : waits);
    for (const { run } of due) run();
    this.#wait();
  }
}
