/** Suggests the command name closest to a mistyped one, if any is close enough. Pure. */

/** Names are short: with more than two typos it is a different word. */
const SLIPS_MAX = 2;

export function nearestName(typed: string, names: readonly string[]): string | null {
  // Bounds the work for long input; names have only a few letters.
  const word = typed.slice(0, 64);
  const ranked = names
    .map((name) => ({ name, slips: slipsBetween(word, name) }))
    .sort((a, b) => a.slips - b.slips);
  const [best] = ranked;
  return best !== undefined && best.slips <= Math.min(SLIPS_MAX, best.name.length - 1) ? best.name : null;
}

/** The edit distance: letters added, removed, replaced or swapped with their neighbour. */
function slipsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
