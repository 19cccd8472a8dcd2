/**
 * Delays parsing until the clients have received the output: a burst, or the echo of a key.
 *
 * Parsing costs twice as much as moving the same bytes. On a machine with few cores, a thread that starts parsing at
 * once takes that time from the program, the relay and the client, and the person sees the burst a third later. So
 * output that comes in full reads stays in the queue, which keeps it anyway, until the burst pauses, has lasted a while
 * or fills the queue. Output that starts while the thread is still behind is not held: the thread paces sustained
 * output and must not be idle.
 *
 * An echo that wakes the thread competes with the relay and the client for the cores in the moment in which a person
 * waits for them. Output with an escape character is not an echo: it may ask something, and a program waits for the
 * reply.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import {
  BURST_MAX_BYTES,
  BURST_MAX_MS,
  BURST_PAUSE_MS,
  HELD_ECHO_MAX_BYTES,
  SHARED_MIN_BYTES,
} from './limits.ts';

const ESC = 0x1b;
/** C1 controls are encoded as this byte and another. */
const C1_LEAD = 0xc2;

export class BurstHold {
  readonly #clock: Clock;
  readonly #over: () => void;
  #beganAt = 0;
  #lastAt = 0;
  /** Whether nothing but echoes is held. */
  #isEcho = false;
  #cancel: Cancel | undefined;

  /** `over` is called when the clock ends a burst. */
  constructor(clock: Clock, over: () => void) {
    this.#clock = clock;
    this.#over = over;
  }

  get isHolding(): boolean {
    return this.#cancel !== undefined;
  }

  /** `bytes` were printed; `queuedBytes`, including them, wait to be parsed. */
  printed(bytes: Uint8Array, queuedBytes: number): void {
    this.#lastAt = this.#clock.now();
    const isBulk = bytes.length >= SHARED_MIN_BYTES;
    const mayAsk = !isBulk && !isPlainEcho(bytes);
    if (queuedBytes >= BURST_MAX_BYTES || (mayAsk && this.#isEcho)) return this.stop();
    if (this.isHolding) this.#isEcho &&= !isBulk;
    if (mayAsk || queuedBytes > bytes.length || this.isHolding) return;
    this.#isEcho = !isBulk;
    this.#beganAt = this.#lastAt;
    this.#wait();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isEcho = false;
  }

  /** Reads come thousands of times a second, so they do not restart the timer. It checks when the last read was. */
  #wait(): void {
    this.#cancel = this.#clock.after(BURST_PAUSE_MS, () => {
      this.#cancel = undefined;
      const now = this.#clock.now();
      if (now - this.#lastAt < BURST_PAUSE_MS && now - this.#beganAt < BURST_MAX_MS) this.#wait();
      else {
        this.stop();
        this.#over();
      }
    });
  }
}

function isPlainEcho(bytes: Uint8Array): boolean {
  return bytes.length <= HELD_ECHO_MAX_BYTES && !bytes.includes(ESC) && !bytes.includes(C1_LEAD);
}
