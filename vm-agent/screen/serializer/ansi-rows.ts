/**
 * Writes rows of a buffer as output that recreates them on a terminal with blank rows.
 *
 * It works row by row, so that a snapshot of a long history can pause between rows.
 */
import { writtenTiles } from '../../../protocol/terminal/images/snapshot-images.ts';
import { runAt, tileAt } from '../../../protocol/terminal/images/tile.ts';
import type { WrittenImages } from '../images/written-images.ts';
import {
  BG,
  bgOf,
  charsOf,
  endOfRun,
  extendedOf,
  fgOf,
  hasContent,
  hasDefaultBackground,
  hasOddCell,
  isErased,
  textOfRun,
  widthOf,
} from '../xterm/cells.ts';
import type { XtermAttributes, XtermBuffer, XtermExtended, XtermLine, XtermState } from '../xterm/xterm.ts';
import type { CellWriter } from './cell-writer.ts';
import { SGR_RESET, sgrOf } from './sgr.ts';

/** Any character that is two columns wide; it is overwritten at once. */
const WIDE = '\u4e00';
const NONE: readonly number[] = [];

/** Writes with the fewest changes of attributes and link. */
export class Pen {
  readonly #links: XtermState['_oscLinkService'] | null;
  #sgr = SGR_RESET;
  #link = 0;
  // Attributes of the last cell passed to `like`; -1 after anything else.
  #fg = -1;
  #bg = -1;
  #extended: XtermExtended | undefined;

  /** With null, no links are written. */
  constructor(links: XtermState['_oscLinkService'] | null) {
    this.#links = links;
  }

  /** The sequences that set the attributes of this cell. Most cells are like the one before. */
  like(line: XtermLine, col: number): string {
    const fg = fgOf(line, col);
    const bg = bgOf(line, col);
    const extended = extendedOf(line, col);
    if (fg === this.#fg && bg === this.#bg && extended === this.#extended) return '';
    const out = this.set(sgrOf(fg, bg, extended?._ext ?? 0), extended?.urlId ?? 0);
    this.#fg = fg;
    this.#bg = bg;
    this.#extended = extended;
    return out;
  }

  /** Whether printing with these attributes makes a cell like this one. */
  static matches(line: XtermLine, col: number, { fg, bg, extended }: XtermAttributes): boolean {
    const own = extendedOf(line, col);
    const shown = (bg & BG.extended) === 0 ? undefined : extended;
    if ((own?.urlId ?? 0) !== (shown?.urlId ?? 0)) return false;
    return sgrOf(fgOf(line, col), bgOf(line, col), own?._ext ?? 0) === sgrOf(fg, bg, shown?._ext ?? 0);
  }

  plain(): string {
    return this.set(SGR_RESET, 0);
  }

  set(sgr: string, wantedLink: number): string {
    const link = this.#links === null ? 0 : wantedLink;
    let out = '';
    if (sgr !== this.#sgr) out += sgr;
    if (link !== this.#link) out += this.openLink(link);
    this.#sgr = sgr;
    this.#link = link;
    this.#fg = -1;
    return out;
  }

  /** The sequence that opens a link; if the link does not exist, the one that closes the current link. */
  openLink(number: number): string {
    const link = this.#links?.getLinkData(number);
    if (link === undefined) return '\x1b]8;;\x1b\\';
    return `\x1b]8;${link.id === undefined ? '' : `id=${link.id}`};${link.uri}\x1b\\`;
  }
}

export interface Rows {
  readonly core: XtermState;
  readonly buffer: XtermBuffer;
  readonly from: number;
  readonly to: number;
  readonly pen: Pen;
  readonly cells: CellWriter;
  readonly images: WrittenImages;
  /** Text to write when the cursor is at the start of a row; the pen is plain before and after. It may print there. */
  readonly note?: { readonly row: number; readonly text: string };
  /** The marks in each row. They print nothing. */
  readonly marks?: ReadonlyMap<number, string>;
}

/** One string per row, and more for its images; the cursor ends anywhere in the last one. The pen ends plain. */
export function* paintRows({ core, buffer, from, to, note, marks, ...tools }: Rows): Generator<string> {
  const { pen, cells, images } = tools;
  let out = beforeFirst(core, lineAt(buffer, from));
  let arrival: Join = out === '' ? 'line feed' : 'ahead';
  for (let row = from; row < to; row++) {
    const line = lineAt(buffer, row);
    const next = row + 1 < to ? lineAt(buffer, row + 1) : undefined;
    const join = next?.isWrapped === true ? wrappingJoin(core, line) : 'line feed';
    const odd = oddCells(line, core.cols);
    if (images.hasTiles) {
      for (const piece of images.definitions(line, core.cols)) {
        cells.interrupted();
        yield piece;
      }
    }
    let blank = arrival !== 'ahead';
    const isNoted = row === note?.row;
    const marked = marks?.get(row);
    const isEntered = isNoted || marked !== undefined;
    if (arrival === 'wrap' && (isEntered || odd.length > 0 || join === 'ahead' || !beginsPlainly(line))) {
      out += `${pen.plain()} \r`;
      blank = false;
    }
    if (isNoted) {
      out += `${pen.plain()}${note?.text}\r`;
      blank = false;
    }
    if (marked !== undefined) {
      out += marked;
      cells.interrupted();
    }
    if (join === 'ahead') {
      // Wrap first and paint afterwards, so that it does not matter what this row ends with.
      out += `${pen.plain()}\x1b[${core.cols}G  \x1b[A\r`;
      blank = false;
    }
    out += paintRow(line, { cols: core.cols, blank, odd }, tools);
    if (next === undefined) out += pen.plain();
    else if (join !== 'wrap') out += `${pen.plain()}${join === 'ahead' ? '\x1b[B\r' : '\r\n'}`;
    arrival = join;
    yield out;
    out = '';
  }
}

function lineAt(buffer: XtermBuffer, row: number): XtermLine {
  const line = buffer.lines.get(row);
  if (line === undefined) throw new Error(`invariant: no row ${row} of ${buffer.lines.length}`);
  return line;
}

/** A first row that continues the row above it is written as a second row; then the first row is deleted. */
function beforeFirst(core: XtermState, line: XtermLine): string {
  return line.isWrapped && core.rows > 1 ? `\x1b[${core.cols}G  \x1b[H\x1b[M` : '';
}

/**
 * How the cursor gets from a row to the next: by a line feed; by wrapping, with the cursor still pending after this
 * row's last column; or with the wrap done before painting. A terminal with one row cannot go back up to paint, so the
 * mark that the next row continues this one is lost.
 */
type Join = 'line feed' | 'wrap' | 'ahead';

function wrappingJoin(core: XtermState, line: XtermLine): Join {
  const last = core.cols - 1;
  const endsWide = widthOf(line, last) === 0 && !hasContent(line, last) && widthOf(line, last - 1) === 2;
  if (endsWide || (hasContent(line, last) && widthOf(line, last) === 1)) return 'wrap';
  return core.rows > 1 ? 'ahead' : 'line feed';
}

/** Whether its first character can cause the wrap: it has a width, and its background does not fill the new row. */
function beginsPlainly(line: XtermLine): boolean {
  return hasContent(line, 0) && widthOf(line, 0) > 0 && hasDefaultBackground(line, 0);
}

type Tools = Pick<Rows, 'pen' | 'cells' | 'images'>;

interface RowContext {
  readonly cols: number;
  /** The row is empty where we paint, so empty cells can be skipped. */
  readonly blank: boolean;
  readonly odd: readonly number[];
}

/** The cells of one row. The cursor is in its first column, or about to wrap into it. */
function paintRow(line: XtermLine, { cols, blank, odd }: RowContext, { pen, cells, images }: Tools): string {
  let out = odd.length > 0 ? `${paintOdd(line, cols, odd, pen)}\r` : '';
  const isBlank = blank && odd.length === 0;
  const { hasTiles } = images;
  let cursor = 0;
  for (let col = 0; col < cols; ) {
    const tiles = hasTiles ? runAt(line, col, cols) : undefined;
    if (tiles !== undefined) {
      out += (cursor === col ? '' : `\x1b[${col + 1}G`) + writtenTiles(tiles);
      cells.interrupted();
      cursor = col;
      col = tiles.to;
      continue;
    }
    const run = endOfRun(line, col, cols);
    const isPrinted = run > col || (hasContent(line, col) && !overhangs(line, col, cols));
    if (isPrinted) {
      const width = widthOf(line, col);
      // A combining mark alone in a cell would join the character before it, unless the cursor moved in between.
      const move = cursor !== col || width === 0 ? `\x1b[${col + 1}G` : '';
      const before = move + pen.like(line, col);
      if (before !== '') cells.interrupted();
      out += before;
      out += run > col ? cells.run(textOfRun(line, col, run)) : cells.cell(charsOf(line, col), width);
      col = run > col ? run : col + Math.max(1, width);
      cursor = col;
      continue;
    }
    const end = endOfEmpty(line, col, cols);
    if (!odd.includes(col) && !(isBlank && hasDefaultBackground(line, col))) {
      if (cursor !== col) out += `\x1b[${col + 1}G`;
      out += `${pen.set(sgrOf(0, bgOf(line, col), 0), 0)}\x1b[${end - col}X`;
      cursor = col;
    }
    col = end;
  }
  return out;
}

/** A wide character in the last column, left by narrowing an alternate screen. It cannot be printed there. */
function overhangs(line: XtermLine, col: number, cols: number): boolean {
  return widthOf(line, col) === 2 && col + 1 >= cols;
}

/** Where a run of empty cells with one background ends. */
function endOfEmpty(line: XtermLine, col: number, cols: number): number {
  if (!isErased(line, col)) return col + 1;
  let end = col + 1;
  while (end < cols && isErased(line, end) && bgOf(line, end) === bgOf(line, col)) end++;
  return end;
}

function oddCells(line: XtermLine, cols: number): readonly number[] {
  if (!hasOddCell(line, cols)) return NONE;
  const odd: number[] = [];
  for (let col = 0; col < cols; col++) {
    const isEmpty = !hasContent(line, col) && widthOf(line, col) === 1 && !isErased(line, col);
    if (isEmpty && tileAt(line, col) === undefined) odd.push(col);
  }
  return odd;
}

/**
 * An empty cell with more than a background can only be made by overwriting one half of a wide character. The neighbour
 * that this destroys is painted afterwards.
 */
function paintOdd(line: XtermLine, cols: number, odd: readonly number[], pen: Pen): string {
  let out = '';
  const last = cols - 1;
  if (odd.includes(last)) {
    out += `\x1b[${last}G${pen.like(line, last)}${WIDE}\x1b[${last}G `;
  }
  for (const col of odd) {
    if (col === last || (col === last - 1 && odd.includes(last))) continue;
    out += `\x1b[${col + 1}G${pen.like(line, col)}${WIDE}\x1b[${col + 2}G `;
  }
  return out;
}
