/**
 * Holds data frames back while the relay asks to slow down, then sends them no faster than the relay accepts them. Rule
 * RL12.
 *
 * The order is kept, so that no acknowledgement or key overtakes another. Held frames belong to one connection: when it
 * ends they are dropped, and both sides resynchronise by offset.
 */
import type { Cancel, Clock } from '../protocol/clock.ts';
import { SLOW_DOWN_MAX_MS } from '../protocol/limits.ts';

/** Half of what the relay refills in this time, so that a backlog drains without another `slow_down`. */
const BATCH_FRAMES = 500;
const BATCH_EVERY_MS = 500;

type DataFrame = Uint8Array<ArrayBuffer>;

export class SendPace {
  readonly #clock: Clock;
  readonly #send: (frame: DataFrame) => void;
  #held: DataFrame[] = [];
  #waiting: Cancel | null = null;

  constructor(clock: Clock, send: (frame: DataFrame) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  send(frame: DataFrame): void {
    if (this.#waiting === null) this.#send(frame);
    else this.#held.push(frame);
  }

  slowDown(ms: number): void {
    this.#waiting?.();
    this.#waiting = this.#clock.after(Math.min(ms, SLOW_DOWN_MAX_MS), () => this.#release());
  }

  /** The connection of these frames has ended. */
  reset(): void {
    this.#waiting?.();
    this.#waiting = null;
    this.#held = [];
  }

  #release(): void {
    this.#waiting = null;
    const batch = this.#held.splice(0, BATCH_FRAMES);
    for (const frame of batch) this.#send(frame);
    if (this.#held.length > 0) this.slowDown(BATCH_EVERY_MS);
  }
}
