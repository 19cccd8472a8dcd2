/** The one-line notice that needs no answer and disappears by itself. */
import type { Cancel, Clock } from '../../../protocol/clock.ts';

/** Long enough to read it twice. */
const NOTICE_MS = 20_000;

export class Notices {
  readonly #clock: Clock;
  readonly #changed: () => void;
  #last: { readonly text: string; readonly forget: Cancel } | null = null;

  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** Empty when there is no notice. */
  get text(): string {
    return this.#last?.text ?? '';
  }

  say(text: string): void {
    this.stop();
    const forget = this.#clock.after(NOTICE_MS, () => {
      this.#last = null;
      this.#changed();
    });
    this.#last = { text, forget };
    this.#changed();
  }

  stop(): void {
    this.#last?.forget();
    this.#last = null;
  }
}
