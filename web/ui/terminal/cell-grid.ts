/** Maps points on the page to the cells of a terminal, and reads the text in those cells. */
import type { IBufferLine, Terminal } from '@xterm/xterm';
import { type CellRange, wordAround } from './cell-range.ts';
import type { Point } from './touch-gestures.ts';

/** How many rows of a wrapped line are searched for a word. Paths and URLs are shorter. */
const WORD_MAX_ROWS = 40;

export class CellGrid {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** The cell at a point, or the nearest one for a point outside the terminal. */
  cellAt(point: Point): number {
    const { col, row } = this.#place(point);
    const { cols } = this.#terminal;
    return row * cols + Math.min(cols - 1, Math.max(0, Math.floor(col)));
  }

  /** The boundary between two cells that is nearest to a point. */
  boundaryAt(point: Point): number {
    const { col, row } = this.#place(point);
    const { cols } = this.#terminal;
    return row * cols + Math.min(cols, Math.max(0, Math.round(col)));
  }

  /** Whether a point is above (-1) or below (1) the visible rows. */
  beyond({ clientY }: Point): -1 | 0 | 1 {
    const { top, bottom } = this.#screen();
    if (clientY < top) return -1;
    return clientY > bottom ? 1 : 0;
  }

  /** The bottom of a boundary on the page; null when its row is not visible. */
  footOf({ x, y }: { readonly x: number; readonly y: number }): Point | null {
    const { cols, rows, buffer } = this.#terminal;
    const row = y - buffer.active.viewportY;
    if (row < 0 || row >= rows) return null;
    const { left, top, width, height } = this.#screen();
    return { clientX: left + (x * width) / cols, clientY: top + ((row + 1) * height) / rows };
  }

  get cellHeight(): number {
    return this.#screen().height / this.#terminal.rows;
  }

  /** The word around a cell, including parts wrapped onto other rows. */
  wordAt(cell: number): CellRange {
    const { cols, options, buffer } = this.#terminal;
    const row = Math.floor(cell / cols);
    const line = (y: number) => buffer.active.getLine(y);
    let first = row;
    while (row - first < WORD_MAX_ROWS && line(first)?.isWrapped) first--;
    const cells: string[] = [];
    for (let y = first; y - row < WORD_MAX_ROWS && (y === first || line(y)?.isWrapped); y++)
      cells.push(...textsOf(line(y), cols));
    const word = wordAround(cells, cell - first * cols, options.wordSeparator ?? ' ');
    return { start: first * cols + word.start, end: first * cols + word.end };
  }

  #place({ clientX, clientY }: Point): { readonly col: number; readonly row: number } {
    const { cols, rows, buffer } = this.#terminal;
    const { left, top, width, height } = this.#screen();
    const row = Math.floor(((clientY - top) / height) * rows);
    return {
      col: ((clientX - left) / width) * cols,
      row: buffer.active.viewportY + Math.min(rows - 1, Math.max(0, row)),
    };
  }

  #screen(): DOMRect {
    const screen = this.#terminal.element?.querySelector('.xterm-screen');
    return screen?.getBoundingClientRect() ?? new DOMRect();
  }
}

function textsOf(line: IBufferLine | undefined, cols: number): string[] {
  const texts: string[] = [];
  for (let x = 0; x < cols; x++) {
    const cell = line?.getCell(x);
    const isSecondHalf = cell?.getWidth() === 0;
    texts.push(isSecondHalf ? (texts.at(-1) ?? ' ') : cell?.getChars() || ' ');
  }
  return texts;
}
