/**
 * One thing at a time, in order. Every change to the state directory goes through it, so that counting bytes
 * against the quota and writing them is one step, and no two sessions can free each other's room at once.
 */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();
  readonly #unfinished = new Set<Promise<unknown>>();

  /** Runs `work` when everything before it has ended, well or badly. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Remembers work that nobody awaits, for `settled`. It must not fail. */
  track(work: Promise<unknown>): void {
    this.#unfinished.add(work);
    void work.finally(() => this.#unfinished.delete(work));
  }

  /** Resolves when all tracked work has ended, and all that it led to. */
  async settled(): Promise<void> {
    while (this.#unfinished.size > 0) await Promise.all(this.#unfinished);
    await this.#last;
  }
}
