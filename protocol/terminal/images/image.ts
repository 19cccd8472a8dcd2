/** An image of a terminal, and how many cells it covers. */
import type { Size } from '../../frame.ts';
import { IMAGE_MAX_PIXELS, IMAGE_MAX_SIDE_PX } from '../../limits.ts';
import { CELL_PX } from './cell-px.ts';

/** In pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Sixel data, or a file of an allowed type in base64. */
export type ImageKind = 'sixel' | 'file';

export interface TerminalImage {
  readonly kind: ImageKind;
  /** Its own size. */
  readonly size: ImageSize;
  /** The size at which it is shown, in pixels of which a cell has 10 × 20. */
  readonly shown: ImageSize;
  /** What was printed, as ASCII. */
  readonly data: Uint8Array;
}

/** The columns and rows that an image covers. */
export function cellsOf({ width, height }: ImageSize): Size {
  return { cols: Math.ceil(width / CELL_PX.width), rows: Math.ceil(height / CELL_PX.height) };
}

/** Whether an image of this size is shown. */
export function isAllowedSize({ width, height }: ImageSize): boolean {
  return isSide(width) && isSide(height) && width * height <= IMAGE_MAX_PIXELS;
}

function isSide(pixels: number): boolean {
  return Number.isInteger(pixels) && pixels >= 1 && pixels <= IMAGE_MAX_SIDE_PX;
}

/** What a terminal without images shows in place of one. */
export function imageLabel({ size: { width, height } }: Pick<TerminalImage, 'size'>): string {
  return `[image ${width}×${height}]`;
}
