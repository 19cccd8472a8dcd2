/**
 * Holds a few descriptors that are only used to start an agent. Every program takes two for its terminal; without these,
 * a keeper whose programs have taken all could never start another agent, and nobody could reach or close a program.
 */
import { closeSync, constants, openSync } from 'node:fs';

/** Two agents at once, each with a socket, and what Node needs for a moment: the other end of it, and a pipe. */
const SPARE_DESCRIPTORS = 12;

export class SpareDescriptors {
  readonly #held: number[] = [];

  constructor() {
    this.#hold();
  }

  get count(): number {
    return this.#held.length;
  }

  /** Calls `start` while they are free. */
  lend<T>(start: () => T): T {
    for (const fd of this.#held.splice(0)) closeSync(fd);
    try {
      return start();
    } finally {
      this.#hold();
    }
  }

  /** Node opens with close-on-exec, so no program inherits them. */
  #hold(): void {
    try {
      while (this.#held.length < SPARE_DESCRIPTORS) this.#held.push(openSync('/', constants.O_RDONLY));
    } catch {
      // There are no more. The next agent has those that are held now, and the descriptors of the one before it.
    }
  }
}
