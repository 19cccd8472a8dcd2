/** Reproducible random numbers: a simulation gives the same result for the same seed. */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Uniform in [0, 1). A Weyl sequence whose steps are hashed; 2³² numbers before it repeats. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let hash = this.#state;
    hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
    hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
    return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
  };

  /** Waiting times of what happens by itself, `mean` apart on average. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.next());
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[Math.floor(this.next() * choices.length)];
    if (choice === undefined) throw new Error('invariant: there is something to pick from');
    return choice;
  }
}
