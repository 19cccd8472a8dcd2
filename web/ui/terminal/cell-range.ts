/**
 * A selection as a range of cells. Cells are numbered row by row from the first line of the history, so that a range
 * over several rows is two numbers.
 */
export interface CellRange {
  readonly start: number;
  /** One past the last cell. */
  readonly end: number;
}

/**
 * The word around `at`, or just that cell when it is a separator. `cells` holds the text of each cell; the second half
 * of a wide character repeats the first, and an empty cell is a blank.
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

/** `range`, extended to include `cell`. */
export function extended({ start, end }: CellRange, cell: number): CellRange {
  return { start: Math.min(start, cell), end: Math.max(end, cell + 1) };
}

/** The range with one end moved to a cell boundary. At least one cell remains. */
export function withEnd({ start, end }: CellRange, which: 'start' | 'end', boundary: number): CellRange {
  if (which === 'start') return { start: Math.max(0, Math.min(boundary, end - 1)), end };
  return { start, end: Math.max(boundary, start + 1) };
}
