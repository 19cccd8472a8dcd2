/**
 * The part of an image that is in one cell. It is in attributes of xterm's cells, so it moves, wraps and vanishes with
 * its cell: text that is printed over an image, a line that is deleted and a region that scrolls need nothing from us.
 *
 * A cell with a tile is otherwise an erased cell: without a character, and with the default colours. Which image it is
 * stands in its extended attributes, which are one object for all cells of an image; a history of images would
 * otherwise have millions. The place in the image stands in the foreground, whose lower bits mean nothing while it is
 * the default colour:
 *
 *   foreground   row << 12 | column
 *   background   has extended attributes
 */

export interface Tile {
  /** The number of its image. */
  readonly image: number;
  /** Its place in the image, in cells. */
  readonly row: number;
  readonly col: number;
}

/** Rows and columns of an image are fewer. */
export const TILES_MAX = 1 << 12;

/** It has what xterm expects of extended attributes; none of it shows. */
class ImageAttributes {
  ext = 0;
  readonly _ext = 0;
  urlId = 0;
  underlineStyle = 0;
  underlineColor = 0;
  underlineVariantOffset = 0;
  readonly image: number;

  constructor(image: number) {
    this.image = image;
  }

  clone(): ImageAttributes {
    return new ImageAttributes(this.image);
  }

  isEmpty(): boolean {
    return false;
  }
}

/** A row of xterm's buffer, in the page or headless. */
export interface TiledLine {
  readonly _data: Uint32Array;
  readonly _extendedAttrs: Readonly<Record<number, object | undefined>>;
}

const WORDS_PER_CELL = 3;
const FOREGROUND = 1;
const BACKGROUND = 2;
const HAS_EXTENDED = 0x10000000;
const COLUMN_BITS = 12;
const PLACE = TILES_MAX - 1;

/** The number of the image in this cell; 0 if there is none. */
function imageAt({ _data, _extendedAttrs }: TiledLine, col: number): number {
  if (((_data[col * WORDS_PER_CELL + BACKGROUND] ?? 0) & HAS_EXTENDED) === 0) return 0;
  const extended = _extendedAttrs[col];
  return extended instanceof ImageAttributes ? extended.image : 0;
}

function placeAt({ _data }: TiledLine, col: number): number {
  return _data[col * WORDS_PER_CELL + FOREGROUND] ?? 0;
}

export function tileAt(line: TiledLine, col: number): Tile | undefined {
  const image = imageAt(line, col);
  if (image === 0) return undefined;
  const place = placeAt(line, col);
  return { image, row: (place >> COLUMN_BITS) & PLACE, col: place & PLACE };
}

/** Tiles side by side that are also side by side in their image. */
export interface TileRun {
  readonly tile: Tile;
  readonly from: number;
  readonly to: number;
}

/** The run that begins in this cell, if there is a tile in it. */
export function runAt(line: TiledLine, from: number, cols: number): TileRun | undefined {
  const tile = tileAt(line, from);
  if (tile === undefined) return undefined;
  const place = placeAt(line, from);
  let to = from + 1;
  while (to < cols && imageAt(line, to) === tile.image && placeAt(line, to) === place + to - from) to++;
  return { tile, from, to };
}

/** All runs of a row, from left to right. */
export function runsOf(line: TiledLine, cols: number): TileRun[] {
  const runs: TileRun[] = [];
  for (let col = 0; col < cols; col++) {
    const run = runAt(line, col, cols);
    if (run === undefined) continue;
    runs.push(run);
    col = run.to - 1;
  }
  return runs;
}

/** A row that can be written to. */
export interface WritableLine {
  readonly _data: Uint32Array;
  readonly _extendedAttrs: Record<number, object | undefined>;
  replaceCells(start: number, end: number, cell: object): void;
}

/** Writes tiles of one image after the other; a new object is only made for another image. */
export class TileWriter {
  #attributes = new ImageAttributes(0);

  /** `blank` is an erased cell with the default colours. */
  set(line: WritableLine, { tile, from, to }: TileRun, blank: object): void {
    if (this.#attributes.image !== tile.image) this.#attributes = new ImageAttributes(tile.image);
    line.replaceCells(from, to, blank);
    const place = (tile.row << COLUMN_BITS) | tile.col;
    for (let col = from; col < to; col++) {
      const word = col * WORDS_PER_CELL;
      line._data[word + FOREGROUND] = place + col - from;
      line._data[word + BACKGROUND] = HAS_EXTENDED;
      line._extendedAttrs[col] = this.#attributes;
    }
  }
}
