/**
 * Bounds the text of one terminal cell. xterm adds every combining mark to the cell before it, without a limit: 40 KB
 * of marks keep a page busy for half a minute, and megabytes of them fill the memory. The agent and the page both apply
 * this, so that they show the same screen.
 */
import { CELL_MAX_CHARS } from '../limits.ts';

/** A row of xterm's buffer. All rows of all terminals share one prototype. */
interface Line {
  /** Three words for each cell. The first says whether its text is in `_combined`, where old texts remain. */
  readonly _data: Uint32Array;
  readonly _combined: Record<number, string | undefined>;
  addCodepointToCell(column: number, codePoint: number, width: number): void;
}

/** The xterm internals that this needs, in the page or headless. */
export interface CelledCore {
  readonly buffers: { readonly normal: { readonly lines: { get(row: number): object | undefined } } };
}

const bounded = new WeakSet<object>();

/** Text beyond the limit is dropped. */
export function boundCells(core: CelledCore): void {
  const line: Line = Object.getPrototypeOf(core.buffers.normal.lines.get(0));
  if (bounded.has(line)) return;
  bounded.add(line);
  const { addCodepointToCell } = line;
  line.addCodepointToCell = function (this: Line, column, codePoint, width) {
    const text = isCombined(this, column) ? this._combined[column] : undefined;
    if (text !== undefined && text.length >= CELL_MAX_CHARS) return;
    addCodepointToCell.call(this, column, codePoint, width);
    const longer = this._combined[column];
    if (longer !== undefined && longer.length > NEVER_JOINED_CHARS) this._combined[column] = flat(longer);
  };
}

const WORDS_PER_CELL = 3;
const IS_COMBINED = 0x200000;
const isCombined = ({ _data }: Line, column: number): boolean =>
  ((_data[column * WORDS_PER_CELL] ?? 0) & IS_COMBINED) !== 0;

/** V8 joins longer strings by reference, so a text that grew by one mark at a time keeps an object for each mark. */
const NEVER_JOINED_CHARS = 12;

/** The text as one contiguous string: a part of a joined string is copied before it is taken. */
function flat(text: string): string {
  return ` ${text}`.slice(1);
}
