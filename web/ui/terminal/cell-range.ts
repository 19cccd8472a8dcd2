/**
 * A selection as a range of cells. Cells are counted from the first line of the history, row after row, so that a range
 * over several rows is two numbers.
 */
export interface CellRange {
  readonly start: number;
  /** One past the last cell. */
  readonly end: number;
}

/**
 * The word around `at`, or the one cell when that separates words. `cells` has the text of each cell, the second half of a
 * wide character that of the first, and a blank where nothing was printed.
 */
export function wordAround(cells: readonly string[], at: number, separators: string): CellRange {
  const isPart = (index: number) => {
    const text = cells[index];
    return text !== undefined && text !== '' && !separators.includes(text);
  };
  if (!isPart(at)) return { start: at, end: at + 1 };
  let start = at;
  let end = at + 1;
  while (isPart(start - 1)) start--;
  while (isPart(end)) end++;
  return { start, end };
}

/** `range` and all cells up to `cell`. */
export function extended({ start, end }: CellRange, cell: number): CellRange {
  return { start: Math.min(start, cell), end: Math.max(end, cell + 1) };
}

/** With one of its ends moved to a boundary between cells. At least one cell stays. */
export function withEnd({ start, end }: CellRange, which: 'start' | 'end', boundary: number): CellRange {
  if (which === 'start') return { start: Math.max(0, Math.min(boundary, end - 1)), end };
  return { start, end: Math.max(boundary, start + 1) };
}
