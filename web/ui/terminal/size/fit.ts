/** Computes how many cells fit into a window, and the font size at which a terminal of another size fits. */
import type { Size } from '../../../../protocol/frame.ts';
import { SIZE_MAX_CELLS } from '../../../../protocol/limits.ts';

/** In CSS pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Smaller text is unreadable; a terminal that does not fit at this size is scrolled. */
const FONT_MIN_PX = 8;

/** Null while there is no room, as in a hidden tab, where fitting would shrink the terminal to nothing. */
export function fitSize(room: PixelSize, cell: PixelSize): Size | null {
  if (room.width <= 0 || room.height <= 0 || !(cell.width > 0) || !(cell.height > 0)) return null;
  return {
    cols: clamp(Math.floor(room.width / cell.width), 2),
    rows: clamp(Math.floor(room.height / cell.height), 1),
  };
}

/** The largest font size, up to `fontSize`, at which a terminal of `size` fits; `cell` is measured at `fontSize`. */
export function fontToFit(room: PixelSize, cell: PixelSize, size: Size, fontSize: number): number {
  const scale = Math.min(1, room.width / (cell.width * size.cols), room.height / (cell.height * size.rows));
  return scale === 1 ? fontSize : Math.max(Math.min(FONT_MIN_PX, fontSize), Math.floor(fontSize * scale));
}

function clamp(cells: number, least: number): number {
  return Math.min(SIZE_MAX_CELLS, Math.max(least, cells));
}
