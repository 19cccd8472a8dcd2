/**
 * A set of characters, as sorted ranges of code points. However often a pattern names the same characters, looking one
 * up takes a few comparisons: the search charges a fixed amount for it.
 */

type Range = readonly [first: number, last: number];

const LAST_CODE = 0x10ffff;

export class CharSet {
  /** Sorted, without overlaps. */
  readonly ranges: readonly Range[];

  constructor(ranges: readonly Range[]) {
    this.ranges = merged(ranges);
  }

  has(code: number): boolean {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ranges[middle] as Range)[1] < code) low = middle + 1;
      else high = middle;
    }
    const range = this.ranges[low];
    return range !== undefined && range[0] <= code;
  }

  /** All other characters. */
  negated(): CharSet {
    const between: Range[] = [];
    let first = 0;
    for (const range of this.ranges) {
      if (first < range[0]) between.push([first, range[0] - 1]);
      first = range[1] + 1;
    }
    if (first <= LAST_CODE) between.push([first, LAST_CODE]);
    return new CharSet(between);
  }
}

function merged(ranges: readonly Range[]): readonly Range[] {
  const all: [number, number][] = [];
  for (const [first, last] of [...ranges].sort(([a], [b]) => a - b)) {
    const before = all.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else all.push([first, last]);
  }
  return all;
}
