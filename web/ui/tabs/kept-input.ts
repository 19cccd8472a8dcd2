/** Input of a tab that no session has taken: typed before one was found, or meant for one that is gone. */
import { OFFLINE_INPUT_MAX_BYTES } from '../../../protocol/limits.ts';
import { undeliveredText } from '../text/unsent-text.ts';

export class KeptInput {
  #early: number[] = [];
  #lost: number[] = [];

  /** Typed before the session is found: a line or two is kept for it. */
  keep(bytes: Uint8Array): void {
    if (this.#early.length + bytes.length <= OFFLINE_INPUT_MAX_BYTES)
      this.#early = [...this.#early, ...bytes];
  }

  /** The input that waits for a session. */
  takeEarly(): Uint8Array {
    return Uint8Array.from(this.#early.splice(0));
  }

  /** The session is gone, and these bytes reached no program. */
  lose(bytes: Uint8Array): void {
    this.#lost.push(...bytes);
  }

  /** As readable text, everything that must not reach a new shell. [IN4] */
  takeUndelivered(): string {
    return undeliveredText(Uint8Array.from([...this.#lost.splice(0), ...this.#early.splice(0)]));
  }
}
