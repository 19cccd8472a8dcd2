/**
 * When to tell the agent how much has been shown. Rule OU4: when it asks, which it does at half a window; after
 * 512 KiB; after half a second of steady output; and when it has been quiet for a moment. So acknowledgements cost
 * few messages, a slow client is not taken for a stalled one, and the last bytes are not forgotten.
 */
import type { Cancel, Clock } from '../protocol/clock.ts';
import { ACK_EVERY_BYTES, ACK_QUIET_MS, ACK_STEADY_MS } from '../protocol/limits.ts';

export class AckPacer {
  readonly #clock: Clock;
  readonly #acknowledge: (offset: number) => void;
  #shown = 0;
  #told = 0;
  /** When the oldest byte that was not acknowledged was shown. */
  #owesSince: number | undefined;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, acknowledge: (offset: number) => void) {
    this.#clock = clock;
    this.#acknowledge = acknowledge;
  }

  /** Everything below `offset` is on the screen; `isAsked`: the agent waits to hear that. */
  shown(offset: number, isAsked: boolean): void {
    this.#shown = offset;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#owesSince ??= this.#clock.now();
    if (isAsked || this.#isDue()) this.#tell();
    else this.#cancel = this.#clock.after(ACK_QUIET_MS, () => this.#tell());
  }

  /** A new attachment counts from `offset`; older promises are void. */
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
