/**
 * Stores the cells of a terminal's rows side by side in slabs, instead of one array per row.
 *
 * xterm allocates every row separately. A history has thousands of rows of a kilobyte or two. When a screen falls
 * asleep and they are freed, any small allocation made after them keeps their memory in the process. A slab is large
 * enough to be allocated from the system and returned to it (MALLOC_MMAP_THRESHOLD_ in the agent's environment sets the
 * minimum size).
 */
import type { XtermCore, XtermLine } from './xterm.ts';

/** A hundred rows of usual width. Small compared with a history of thousands, because one row keeps its whole slab. */
export const SLAB_BYTES = 128 * 1024;

const WORDS_PER_CELL = 3;

interface Line extends Omit<XtermLine, '_data' | 'length'> {
  _data: Uint32Array<ArrayBuffer>;
  length: number;
  clone(): Line;
  copyFrom(line: Line): void;
  setCell(column: number, cell: unknown): void;
  resize(cols: number, fill: unknown): boolean;
  cleanupMemory(): number;
}

interface Lines {
  get(row: number): Line | undefined;
  set(row: number, line: Line): void;
  push(line: Line): void;
  splice(row: number, deleteCount: number, ...inserted: Line[]): void;
}

/** All terminals share their classes, so the prototypes are patched once. */
const taught = new WeakSet<object>();

/**
 * The last row that was cloned. It shares its cells with the original until it enters a buffer, which is what xterm
 * does with a clone at once.
 */
let clone: Line | undefined;

export function keepLinesInSlabs(core: XtermCore): void {
  const lines = core.buffers.normal.lines as unknown as Lines;
  const list = Object.getPrototypeOf(lines);
  if (taught.has(list)) return;
  taught.add(list);
  teachList(list);
  teachLine(Object.getPrototypeOf(lines.get(0)));
}

/**
 * A slab takes only rows that extend the history. So there are never more slabs than a history of such rows fills, plus
 * one per visible row, whichever rows a program deletes later.
 */
function teachList(list: Lines): void {
  const { push, set, splice } = list;
  const slabs = new WeakMap<Lines, Slab>();
  const adopt = (lines: Lines, line: Line) => {
    const slab = slabs.get(lines) ?? new Slab();
    slabs.set(lines, slab);
    slab.adopt(line);
    clone = undefined;
  };
  list.push = function (this: Lines, line) {
    adopt(this, line);
    push.call(this, line);
  };
  list.splice = function (this: Lines, row, deleteCount, ...inserted) {
    for (const line of inserted) if (line === clone) adopt(this, line);
    splice.call(this, row, deleteCount, ...inserted);
  };
  list.set = function (this: Lines, row, line) {
    if (line === clone) {
      line._data = line._data.slice();
      clone = undefined;
    }
    set.call(this, row, line);
  };
}

function teachLine(row: Line): void {
  const { resize, cleanupMemory } = row;
  const Row = row.constructor as new (cols: number) => Line;
  row.clone = function (this: Line) {
    const line = new Row(0);
    line._data = this._data;
    line.length = this.length;
    line.copyFrom(this);
    clone = line;
    return line;
  };
  // xterm uses the space after a row in its array as room to grow; in a slab that is the next row.
  row.resize = function (this: Line, cols, fill) {
    if (!isInSlab(this) || cols <= this.length) return resize.call(this, cols, fill);
    const data = new Uint32Array(cols * WORDS_PER_CELL);
    data.set(this._data);
    this._data = data;
    const { length } = this;
    this.length = cols;
    for (let column = length; column < cols; column++) this.setCell(column, fill);
    return false;
  };
  row.cleanupMemory = function (this: Line) {
    return isInSlab(this) ? 0 : cleanupMemory.call(this);
  };
}

/** No row has its own array of this size. */
const isInSlab = (line: Line): boolean => line._data.buffer.byteLength === SLAB_BYTES;

class Slab {
  #buffer: ArrayBuffer | undefined;
  #filled = 0;

  /** Copies a row's cells into the slab. */
  adopt(line: Line): void {
    const { byteLength, length } = line._data;
    if (this.#buffer === undefined || this.#filled + byteLength > SLAB_BYTES) {
      this.#buffer = new ArrayBuffer(SLAB_BYTES);
      this.#filled = 0;
    }
    const data = new Uint32Array(this.#buffer, this.#filled, length);
    data.set(line._data);
    line._data = data;
    this.#filled += byteLength;
  }
}
