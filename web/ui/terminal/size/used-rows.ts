/** How much of a screen has text. */
import type { Terminal } from '@xterm/xterm';

/** The number of rows of the normal screen, down to the last one with text. */
export function usedRowsOf({ buffer: { normal }, rows: all }: Terminal): number {
  const isBlank = (row: number) =>
    !normal
      .getLine(normal.baseY + row)
      ?.translateToString(true)
      .trim();
  let rows = all;
  while (rows > 0 && isBlank(rows - 1)) rows--;
  return rows;
}
