import type { Cancel, Clock } from '../../protocol/clock.ts';

/** A clock that advances only on request; due tasks run in order of their deadline. */
export class FakeClock implements Clock {
  #now = 0;
  #tasks: { readonly due: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  /** How many tasks are pending; zero when everything has cleaned up after itself. */
  get pending(): number {
    return this.#tasks.length;
  }

  /** When the tasks are due, soonest first. */
  get due(): number[] {
    return this.#tasks.map(({ due }) => due).sort((a, b) => a - b);
  }

  after(ms: number, run: () => void): Cancel {
    const task = { due: this.#now + ms, run };
    this.#tasks.push(task);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
  }

  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#tasks.filter((task) => task.due <= until).sort((a, b) => a.due - b.due);
      if (next === undefined) break;
      this.#tasks = this.#tasks.filter((task) => task !== next);
      this.#now = next.due;
      next.run();
    }
    this.#now = until;
  }
}
