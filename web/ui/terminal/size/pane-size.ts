/** About how many cells fit into a part of the window, for terminals that are hidden and cannot measure. */
import type { Size } from '../../../../protocol/frame.ts';
import { SIZE_MAX_CELLS } from '../../../../protocol/limits.ts';

/** In percent of the whole. */
interface Part {
  readonly width: number;
  readonly height: number;
}

/** The cells in a part of a window that has room for `whole`. */
export function sizeIn({ width, height }: Part, whole: Size): Size {
  return { cols: clamp((whole.cols * width) / 100, 2), rows: clamp((whole.rows * height) / 100, 1) };
}

/** The cells in the whole window, of which a part has room for `part`. */
export function wholeSize({ width, height }: Part, part: Size): Size {
  return { cols: clamp((part.cols * 100) / width, 2), rows: clamp((part.rows * 100) / height, 1) };
}

function clamp(cells: number, least: number): number {
  return Math.min(SIZE_MAX_CELLS, Math.max(least, Math.floor(cells)));
}
