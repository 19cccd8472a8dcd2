/**
 * Bounds the text of one cell. xterm adds every combining mark to the cell before it, without a limit: 40 KB of marks keep a page
 * busy for half a minute, and megabytes of them fill the memory. The agent and the page both need this, so that they show the same.
 */
import { CELL_MAX_CHARS } from '../limits.ts';

/** A row of xterm's buffer. All rows of all terminals have one prototype. */
interface Line {
  readonly _combined: Readonly<Record<number, string | undefined>>;
  addCodepointToCell(column: number, codePoint: number, width: number): void;
}

/** The internals of an xterm that this needs, in the page or headless. */
export interface CelledCore {
  readonly buffers: { readonly normal: { readonly lines: { get(row: number): object | undefined } } };
}

const bounded = new WeakSet<object>();

/** What does not fit any more is dropped. */
export function boundCells(core: CelledCore): void {
  const line: Line = Object.getPrototypeOf(core.buffers.normal.lines.get(0));
  if (bounded.has(line)) return;
  bounded.add(line);
  const { addCodepointToCell } = line;
  line.addCodepointToCell = function (this: Line, column, codePoint, width) {
    if ((this._combined[column]?.length ?? 0) < CELL_MAX_CHARS) {
      addCodepointToCell.call(this, column, codePoint, width);
    }
  };
}
