/** Aligns the columns of a table for a terminal, whatever the width of its characters is there. */
import { columnsOfText } from '../../protocol/terminal/width/width-model.ts';

export function textTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, text] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, columnsOfText(text));
  const padded = (text: string, column: number) =>
    text + ' '.repeat((widths[column] ?? 0) - columnsOfText(text));
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}
