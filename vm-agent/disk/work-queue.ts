/**
 * Runs one task at a time, in order. Every change to the state directory goes through it, so checking the quota and
 * writing is one step, and two sessions cannot claim the same free space.
 */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();
  readonly #unfinished = new Set<Promise<unknown>>();

  /** Runs `work` after everything before it has finished or failed. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Tracks work that nobody awaits, for `settled`. It must not fail. */
  track(work: Promise<unknown>): void {
    this.#unfinished.add(work);
    void work.finally(() => this.#unfinished.delete(work));
  }

  /** Resolves when all tracked work, and all work it started, has ended. */
  async settled(): Promise<void> {
    while (this.#unfinished.size > 0) await Promise.all(this.#unfinished);
    await this.#last;
  }
}

/** Work of which one of each kind may be in progress. */
export class OneAtATime<Kind> {
  readonly #running = new Set<Kind>();

  /** Runs `work`, or returns undefined if work of the same kind is in progress. */
  async run<T>(kind: Kind, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#running.has(kind)) return undefined;
    this.#running.add(kind);
    try {
      return await work();
    } finally {
      this.#running.delete(kind);
    }
  }
}
