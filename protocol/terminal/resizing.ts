/**
 * Resizes a terminal whose rows a program has filled. xterm moves the text of wrapped lines to other rows, and needs help
 * with some of them. The agent and the page both apply this, so that they show the same screen.
 *
 * - A history of 5000 rows that is narrowed to a tenth becomes 50 000 rows, of which 5000 are kept. That takes seconds,
 *   and with one long line it exceeds the stack, or overwrites the rows below the line. Here the rows that would not be
 *   kept are removed first.
 * - A line of wide characters, narrowed while the cursor is in it and then widened, makes xterm throw. Here such a
 *   terminal is resized once more, with lines that are not wrapped.
 * - Should it still throw, the terminal is emptied: in the agent an exception would end the thread, which has the screens
 *   of other sessions too, and in the page it would stop xterm's queue, and nothing more would be shown. The page then
 *   asks the agent for the screen (web/ui/terminal/size/restoring-resize.ts).
 * - The alternate screen grows a history if it was never shown and the window is made lower. Then the rows of a higher
 *   window show each other's text.
 */
import type { Size } from '../frame.ts';

interface Line {
  isWrapped: boolean;
  getTrimmedLength(): number;
  getWidth(column: number): number;
}

interface Buffer {
  readonly lines: {
    readonly length: number;
    maxLength: number;
    get(row: number): Line | undefined;
    push(line: Line): void;
    trimStart(count: number): void;
  };
  /** The first row of the screen, and the first that is shown. */
  ybase: number;
  ydisp: number;
  savedY: number;
  y: number;
  getBlankLine(attributes: undefined): Line;
}

/** The xterm internals that this needs, in the page or headless. */
export interface ResizedCore {
  readonly buffers: { readonly normal: object; readonly alt: object };
  readonly _bufferService: { cols: number; rows: number };
}

interface ResizedTerminal {
  resize(cols: number, rows: number): void;
  reset(): void;
}

/** Returns whether the terminal was emptied. */
export function resizeTerminal(terminal: ResizedTerminal, core: ResizedCore, size: Size): boolean {
  const { _bufferService: current } = core;
  const before = { cols: current.cols, rows: current.rows };
  let isEmptied = false;
  const resize = () => {
    // After a failed attempt xterm has noted the new size already, and would not resize.
    Object.assign(current, before);
    terminal.resize(size.cols, size.rows);
  };
  try {
    if (size.cols < before.cols) dropPushedOut(core.buffers.normal as Buffer, before, size);
    terminal.resize(size.cols, size.rows);
  } catch {
    try {
      const { lines } = core.buffers.normal as Buffer;
      for (let row = 0; row < lines.length; row++) unwrap(lines.get(row));
      resize();
    } catch {
      isEmptied = true;
      Object.assign(current, before);
      terminal.reset();
      resize();
    }
  }
  // A reset has replaced them.
  const [normal, alternate] = [core.buffers.normal as Buffer, core.buffers.alt as Buffer];
  fillScreen(normal, current.rows);
  if (alternate.lines.length === 0) alternate.lines.maxLength = current.rows;
  return isEmptied;
}

/** Removes the rows above those that there will be room for. */
function dropPushedOut(buffer: Buffer, before: Size, after: Size): void {
  const { lines, ybase } = buffer;
  const dropped = firstFitting(buffer, before, after);
  if (dropped === 0) return;
  lines.trimStart(dropped);
  unwrap(lines.get(0));
  buffer.y = Math.max(0, buffer.y - Math.max(0, dropped - ybase));
  buffer.ybase = Math.max(0, ybase - dropped);
  buffer.ydisp = Math.max(0, buffer.ydisp - dropped);
  buffer.savedY = Math.max(0, buffer.savedY - dropped);
  fillScreen(buffer, before.rows);
}

/** The first of the rows that fit into the terminal after it was narrowed. */
function firstFitting(buffer: Buffer, before: Size, after: Size): number {
  const { lines, ybase, y } = buffer;
  const room = lines.maxLength - before.rows + Math.min(before.rows, after.rows);
  const [from, to] = lineAround(buffer, ybase + y);
  let needed = 0;
  // Of the line that the row belongs to: what it has from this row on.
  let cells = 0;
  let rowCells = after.cols;
  for (let row = lines.length - 1; row >= 0; row--) {
    const line = lines.get(row);
    // xterm leaves the line with the cursor as it is, for the program to draw again.
    const isMoved = row < from || row >= to;
    if (isMoved)
      cells += lines.get(row + 1)?.isWrapped === true ? before.cols : (line?.getTrimmedLength() ?? 0);
    // A wide character that does not fit goes to the next row.
    if (isMoved && hasWide(line, before.cols)) rowCells = Math.max(1, after.cols - 1);
    const rows = Math.max(1, Math.ceil(cells / rowCells));
    if (needed + rows > room) return row + 1;
    if (isMoved && line?.isWrapped === true) continue;
    needed += rows;
    cells = 0;
    rowCells = after.cols;
  }
  return 0;
}

function hasWide(line: Line | undefined, cols: number): boolean {
  for (let column = 0; column < cols; column++) if (line?.getWidth(column) === 2) return true;
  return false;
}

/** The rows of the wrapped line that a row belongs to. */
function lineAround({ lines }: Buffer, row: number): [from: number, to: number] {
  let from = row;
  while (from > 0 && lines.get(from)?.isWrapped === true) from--;
  let to = row + 1;
  while (to < lines.length && lines.get(to)?.isWrapped === true) to++;
  return [from, to];
}

function unwrap(line: Line | undefined): void {
  if (line !== undefined) line.isWrapped = false;
}

/** Adds rows below the last one if there are fewer than the screen has, as xterm may leave them without a history. */
function fillScreen(buffer: Buffer, rows: number): void {
  const { lines } = buffer;
  while (lines.length < rows) lines.push(buffer.getBlankLine(undefined));
  buffer.ybase = Math.min(buffer.ybase, lines.length - rows);
  buffer.ydisp = Math.min(buffer.ydisp, buffer.ybase);
}
