/**
 * Holds data frames back while the relay asks for it, and lets them go no faster than it takes them. Rule RL12.
 *
 * Order is kept, so that no acknowledgement or key overtakes another. What is held belongs to one connection:
 * with its end it is forgotten, and resuming by offset makes up for it.
 */
import type { Cancel, Clock } from '../protocol/clock.ts';

/** Half of what the relay refills in that time, so that a backlog is worked off and not asked about again. */
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
    this.#waiting = this.#clock.after(ms, () => this.#release());
  }

  /** The connection these frames were for is gone. */
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
