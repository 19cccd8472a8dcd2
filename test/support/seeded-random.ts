/** Random numbers that can be repeated from a seed, so that one number is enough to reproduce a failure. */

export interface SeededRandom {
  /** A whole number in [least, most]. */
  int(least: number, most: number): number;
  /** At least 0 and less than 1, like Math.random. */
  fraction(): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  /** One of `choices`, chosen in proportion to its weight. */
  weighted<T>(choices: readonly (readonly [choice: T, weight: number])[]): T;
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

/** Mulberry32: 32 bits of state are enough to choose faults and to generate garbage. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(choices: readonly T[]): T => {
    if (choices.length === 0) throw new Error('invariant: nothing to choose from');
    return choices[int(0, choices.length - 1)] as T;
  };
  return {
    int,
    pick,
    fraction: next,
    chance: (probability) => next() < probability,
    weighted(choices) {
      let at = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [choice, weight] of choices) {
        at -= weight;
        if (at < 0) return choice;
      }
      return pick(choices)[0];
    },
    bytes: (length) => Uint8Array.from({ length }, () => int(0, 255)),
  };
}
