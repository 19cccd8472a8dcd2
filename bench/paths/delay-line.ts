/**
 * When bytes leave a simulated path: each leaves after those before it, at the path's rate, and arrives half a round
 * trip later. Pure: time is a parameter.
 */
import type { PathOptions } from './path.ts';

export class DelayLine<T> {
  readonly #delayMs: number;
  readonly #bytesPerMs: number;
  /** When everything that entered so far will have left the near end. */
  #freeAt = 0;
  readonly #travelling: { readonly what: T; readonly arrivesAt: number }[] = [];

  constructor({ roundTripMs, bytesPerSecond }: PathOptions) {
    this.#delayMs = roundTripMs / 2;
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  enter(what: T, bytes: number, now: number): void {
    this.#freeAt = Math.max(now, this.#freeAt) + bytes / this.#bytesPerMs;
    this.#travelling.push({ what, arrivesAt: this.#freeAt + this.#delayMs });
  }

  /** What has arrived by `now`, in order. */
  arrived(now: number): T[] {
    const count = this.#travelling.findIndex(({ arrivesAt }) => arrivesAt > now);
    const due = this.#travelling.splice(0, count === -1 ? this.#travelling.length : count);
    return due.map(({ what }) => what);
  }

  /** When the next arrives; null if nothing is in flight. */
  get nextAt(): number | null {
    return this.#travelling[0]?.arrivesAt ?? null;
  }

  /** How long what enters now waits for earlier bytes. */
  queuedMs(now: number): number {
    return Math.max(0, this.#freeAt - now);
  }
}
