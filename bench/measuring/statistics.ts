/** Figures from samples. Medians, because other load on a shared machine distorts the mean. */

export function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Minimum and maximum, to show what a median represents. */
export function range(samples: readonly number[]): readonly [least: number, most: number] {
  return [Math.min(...samples), Math.max(...samples)];
}

/**
 * How `above` compares with `below`: the median of the ratios of neighbouring rounds, which other load on the machine
 * affects equally.
 */
export function pairedRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, round) => value / (below[round] ?? Number.NaN)));
}

/** The same for differences. */
export function pairedDifference(of: readonly number[], from: readonly number[]): number {
  return median(of.map((value, round) => value - (from[round] ?? Number.NaN)));
}
