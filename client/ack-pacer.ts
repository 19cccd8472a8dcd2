/**
 * Decides when to acknowledge output to the agent. Rule OU4: when the agent asks, which it does at half a window; after
 * 512 KiB; after half a second of steady output; and after a moment of quiet. So acknowledgements cost few messages, a
 * slow client is not mistaken for a stalled one, and the last bytes are acknowledged too.
 */
import type { Cancel, Clock } from '../protocol/clock.ts';
import { ACK_EVERY_BYTES, ACK_QUIET_MS, ACK_STEADY_MS } from '../protocol/limits.ts';

export class AckPacer {
  readonly #clock: Clock;
  readonly #acknowledge: (offset: number) => void;
  #shown = 0;
  #told = 0;
  /** When the oldest unacknowledged byte was shown. */
  #owesSince: number | undefined;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, acknowledge: (offset: number) => void) {
    this.#clock = clock;
    this.#acknowledge = acknowledge;
  }

  /** Everything below `offset` is on the screen. `isAsked`: the agent waits for this acknowledgement. */
  shown(offset: number, isAsked: boolean): void {
    this.#shown = offset;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#owesSince ??= this.#clock.now();
    if (isAsked || this.#isDue()) this.#tell();
    else this.#cancel = this.#clock.after(ACK_QUIET_MS, () => this.#tell());
  }

  /** A new attachment counts from `offset`; pending acknowledgements are dropped. */
  restart(offset: number): void {
    this.stop();
    this.#shown = offset;
    this.#told = offset;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#owesSince = undefined;
  }

  #isDue(): boolean {
    const owesMs = this.#clock.now() - (this.#owesSince ?? this.#clock.now());
    return this.#shown - this.#told >= ACK_EVERY_BYTES || owesMs >= ACK_STEADY_MS;
  }

  #tell(): void {
    this.#cancel = undefined;
    this.#owesSince = undefined;
    if (this.#shown === this.#told) return;
    this.#told = this.#shown;
    this.#acknowledge(this.#shown);
  }
}
