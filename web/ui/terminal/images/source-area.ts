/** Computes which part of an image a run of tiles shows, and how much of the tiles it fills: images end inside cells. */
import { CELL_PX } from '../../../../protocol/terminal/images/cell-px.ts';
import type { ImageSize, TerminalImage } from '../../../../protocol/terminal/images/image.ts';
import type { TileRun } from '../../../../protocol/terminal/images/tile.ts';

interface SourceArea {
  /** In pixels of the bitmap. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The parts of the run's width and height that are filled, up to 1. */
  readonly across: number;
  readonly down: number;
}

/** Null if the tiles are outside the image: a program may print tiles that do not exist. */
export function sourceOf(
  { tile, from, to }: TileRun,
  { shown }: Pick<TerminalImage, 'shown'>,
  bitmap: ImageSize,
): SourceArea | null {
  const [left, top] = [tile.col * CELL_PX.width, tile.row * CELL_PX.height];
  const room = (to - from) * CELL_PX.width;
  const [width, height] = [Math.min(room, shown.width - left), Math.min(CELL_PX.height, shown.height - top)];
  if (width <= 0 || height <= 0) return null;
  const [scaleX, scaleY] = [bitmap.width / shown.width, bitmap.height / shown.height];
  return {
    x: left * scaleX,
    y: top * scaleY,
    width: width * scaleX,
    height: height * scaleY,
    across: width / room,
    down: height / CELL_PX.height,
  };
}
