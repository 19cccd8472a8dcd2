/** Tracks the sessions that cannot be saved. Warns once when the first one fails and once when all work again. */
import type { Warn } from './warning.ts';

export class Troubles {
  readonly #warn: Warn;
  readonly #dir: string;
  readonly #failing = new Set<string>();

  constructor(dir: string, warn: Warn) {
    this.#dir = dir;
    this.#warn = warn;
  }

  get any(): boolean {
    return this.#failing.size > 0;
  }

  failing(id: string, why: string): void {
    const isFirst = !this.any;
    this.#failing.add(id);
    if (!isFirst) return;
    const message = `Terminals keep running, but their output is not saved in ${this.#dir}: ${why}.`;
    this.#warn({ code: 'failing', message });
  }

  working(id: string): void {
    if (!this.#failing.delete(id) || this.any) return;
    this.#warn({ code: 'working', message: `The output of terminals is saved in ${this.#dir} again.` });
  }
}
