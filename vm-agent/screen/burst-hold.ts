/**
 * Delays parsing a burst of output until the clients have received it.
 *
 * Parsing costs twice as much as moving the same bytes. On a machine with few cores, a thread that starts parsing at
 * once takes that time from the program, the relay and the client, and the person sees the burst a third later. So
 * output that comes in full reads stays in the queue, which keeps it anyway, until the burst pauses, has lasted a while
 * or fills the queue. Output that starts while the thread is still behind is not held: the thread paces sustained
 * output and must not be idle.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { BURST_MAX_BYTES, BURST_MAX_MS, BURST_PAUSE_MS, SHARED_MIN_BYTES } from './limits.ts';

export class BurstHold {
  readonly #clock: Clock;
  readonly #over: () => void;
  #beganAt = 0;
  #lastAt = 0;
  #cancel: Cancel | undefined;

  /** `over` is called when the clock ends a burst. */
  constructor(clock: Clock, over: () => void) {
    this.#clock = clock;
    this.#over = over;
  }

  get isHolding(): boolean {
    return this.#cancel !== undefined;
  }

  /** `bytes` more were printed; `queuedBytes`, including them, wait to be parsed. */
  printed(bytes: number, queuedBytes: number): void {
    this.#lastAt = this.#clock.now();
    if (queuedBytes >= BURST_MAX_BYTES) return this.stop();
    if (bytes < SHARED_MIN_BYTES || queuedBytes > bytes || this.isHolding) return;
    this.#beganAt = this.#lastAt;
    this.#wait();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Reads come thousands of times a second, so they do not restart the timer. It checks when the last read was. */
  #wait(): void {
    this.#cancel = this.#clock.after(BURST_PAUSE_MS, () => {
      this.#cancel = undefined;
      const now = this.#clock.now();
      if (now - this.#lastAt < BURST_PAUSE_MS && now - this.#beganAt < BURST_MAX_MS) this.#wait();
      else this.#over();
    });
  }
}
