/** Where the output of a command is, and its text. Pure: it reads the buffer through a small interface. */
import type { CommandRow } from '../../../../protocol/terminal/marks/command-rows.ts';

interface OutputLine {
  readonly isWrapped: boolean;
  translateToString(trimRight?: boolean, startColumn?: number, endColumn?: number): string;
}

export interface OutputBuffer {
  /** The row of the cursor. */
  readonly cursorRow: number;
  readonly cursorX: number;
  readonly cols: number;
  getLine(row: number): OutputLine | undefined;
}

/** Whole rows from `from`, then `columns` cells of the row `to`. */
export interface OutputRange {
  readonly from: number;
  readonly to: number;
  readonly columns: number;
}

/** Null while a prompt waits for its command. `next` is the command after this one. */
export function outputRange(
  command: CommandRow,
  next: CommandRow | undefined,
  buffer: OutputBuffer,
): OutputRange | null {
  const { outputRow, endRow, endColumn } = command;
  if (outputRow === null) return null;
  // The last column stands for a row that is full.
  const whole = (column: number) => (column >= buffer.cols - 1 ? buffer.cols : column);
  if (endRow !== null) return { from: outputRow, to: endRow, columns: whole(endColumn) };
  if (next !== undefined) return { from: outputRow, to: Math.max(outputRow, next.promptRow), columns: 0 };
  return { from: outputRow, to: Math.max(outputRow, buffer.cursorRow), columns: whole(buffer.cursorX) };
}

/** Rows that a program did not end with a newline are one line. */
export function outputText({ from, to, columns }: OutputRange, buffer: OutputBuffer): string {
  let text = '';
  for (let row = from; row <= to; row++) {
    if (row === to && columns === 0) break;
    const line = buffer.getLine(row);
    if (line === undefined) break;
    const continues = row < to && buffer.getLine(row + 1)?.isWrapped === true;
    const part = row === to ? line.translateToString(true, 0, columns) : line.translateToString(!continues);
    text += (row === from || line.isWrapped ? '' : '\n') + part;
  }
  return text;
}
