/** A queue of events by time: the core of a discrete-event simulation, and its clock. */

interface Entry {
  readonly at: number;
  /** Events at the same time happen in the order they were scheduled. */
  readonly order: number;
  readonly happen: () => void;
}

export class Agenda {
  /** A binary heap: each entry is due no later than its two children, at 2n + 1 and 2n + 2. */
  readonly #heap: Entry[] = [];
  #planned = 0;
  #nowMs = 0;

  get nowMs(): number {
    return this.#nowMs;
  }

  after(ms: number, happen: () => void): void {
    const entry = { at: this.#nowMs + ms, order: this.#planned++, happen };
    let at = this.#heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = this.#heap[parent] as Entry;
      if (!isBefore(entry, above)) break;
      this.#heap[at] = above;
      at = parent;
    }
    this.#heap[at] = entry;
  }

  /** Runs scheduled events until none is left or `untilMs` is reached. */
  run(untilMs = Number.POSITIVE_INFINITY): void {
    for (let [next] = this.#heap; next !== undefined && next.at <= untilMs; [next] = this.#heap) {
      this.#remove();
      this.#nowMs = next.at;
      next.happen();
    }
    if (Number.isFinite(untilMs)) this.#nowMs = untilMs;
  }

  /** Removes the first entry; the last replaces it and sinks to its place. */
  #remove(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    let at = 0;
    for (;;) {
      const child = this.#earlierChild(at);
      const below = this.#heap[child];
      if (below === undefined || !isBefore(below, last)) break;
      this.#heap[at] = below;
      at = child;
    }
    this.#heap[at] = last;
  }

  #earlierChild(at: number): number {
    const [left, right] = [this.#heap[2 * at + 1], this.#heap[2 * at + 2]];
    return left !== undefined && right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
