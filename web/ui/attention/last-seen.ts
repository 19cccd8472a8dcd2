/**
 * When somebody last saw the page of a workspace in this browser, in `localStorage`, so that it is known over a reload
 * and for all windows.
 */
import * as v from 'valibot';
import { time } from '../../../protocol/messages/message-parts.ts';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Somebody who was away for this long wants to know what happened. */
export const AWAY_MIN_MS = 5 * 60_000;

export class LastSeen {
  readonly #storage: Store;
  readonly #key: string;

  constructor(storage: Store, workspace: string) {
    this.#storage = storage;
    this.#key = `holdfast/seen/${workspace}`;
  }

  /** The page is seen now, or was until now. */
  note(now: Date): void {
    try {
      this.#storage.setItem(this.#key, JSON.stringify(now.toISOString()));
    } catch {
      // Storage is full or blocked by the browser: nothing is told then.
    }
  }

  /** Since when nobody has seen it, if that was long; null if it was not, or is not known. */
  awaySince(now: Date): Date | null {
    const seen = this.#read();
    return seen !== null && now.getTime() - seen.getTime() >= AWAY_MIN_MS ? seen : null;
  }

  #read(): Date | null {
    try {
      const stored = v.safeParse(time, JSON.parse(this.#storage.getItem(this.#key) ?? 'null'));
      return stored.success ? new Date(stored.output) : null;
    } catch {
      return null;
    }
  }
}
