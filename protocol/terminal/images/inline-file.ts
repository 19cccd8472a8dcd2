/**
 * Files that are shown in place: OSC 1337 of iTerm.
 *
 *   1337;File=inline=1;width=40;height=auto;preserveAspectRatio=1:base64
 *
 * A width or a height is a number of cells, pixels (`300px`), a part of the terminal (`50%`), or `auto`. Other
 * arguments are ignored, among them the name: nothing is ever written to a file.
 */
import type { Size } from '../../frame.ts';
import { IMAGE_MAX_SIDE_PX } from '../../limits.ts';
import { CELL_PX } from './cell-px.ts';
import type { ImageSize } from './image.ts';

/** How a file wants to be shown; null lengths are `auto`. */
export interface FileArguments {
  readonly width: Length | null;
  readonly height: Length | null;
  readonly keepsShape: boolean;
}

interface Length {
  readonly value: number;
  readonly unit: 'cells' | 'px' | '%';
}

const LENGTH = /^(\d{1,5})(px|%)?$/;

/** `text` is what follows `File=`, up to the colon. Null if the file is a download, which is ignored. */
export function fileArguments(text: string): FileArguments | null {
  const values = new Map<string, string>();
  for (const field of text.split(';')) {
    const at = field.indexOf('=');
    if (at > 0) values.set(field.slice(0, at).trim().toLowerCase(), field.slice(at + 1).trim());
  }
  if (values.get('inline') !== '1') return null;
  return {
    width: lengthOf(values.get('width')),
    height: lengthOf(values.get('height')),
    keepsShape: values.get('preserveaspectratio') !== '0',
  };
}

function lengthOf(text: string | undefined): Length | null {
  const [, digits, unit] = LENGTH.exec(text ?? '') ?? [];
  if (digits === undefined || Number(digits) === 0) return null;
  return { value: Number(digits), unit: unit === 'px' || unit === '%' ? unit : 'cells' };
}

/** The size at which a file is shown. One that says nothing is shown as it is, or smaller if the terminal is narrow. */
export function shownSize(own: ImageSize, wanted: FileArguments, terminal: Size): ImageSize {
  const room = { width: terminal.cols * CELL_PX.width, height: terminal.rows * CELL_PX.height };
  const width = pixelsOf(wanted.width, CELL_PX.width, room.width);
  const height = pixelsOf(wanted.height, CELL_PX.height, room.height);
  return fitted(chosenSize(own, width, height, wanted.keepsShape), room.width, wanted.keepsShape);
}

function chosenSize(own: ImageSize, width: number | null, height: number | null, keeps: boolean): ImageSize {
  if (!keeps) return { width: width ?? own.width, height: height ?? own.height };
  const scales = [width === null ? null : width / own.width, height === null ? null : height / own.height];
  const scale = Math.min(...scales.filter((each) => each !== null));
  return Number.isFinite(scale) ? { width: own.width * scale, height: own.height * scale } : own;
}

/** No wider than the terminal, and no larger than any image may be. */
function fitted({ width, height }: ImageSize, room: number, keeps: boolean): ImageSize {
  const most = Math.min(room, IMAGE_MAX_SIDE_PX);
  const scale = Math.min(1, most / width, IMAGE_MAX_SIDE_PX / height);
  return keeps
    ? { width: whole(width * scale), height: whole(height * scale) }
    : { width: whole(Math.min(width, most)), height: whole(Math.min(height, IMAGE_MAX_SIDE_PX)) };
}

function whole(pixels: number): number {
  return Math.max(1, Math.floor(pixels));
}

function pixelsOf(length: Length | null, cell: number, room: number): number | null {
  if (length === null) return null;
  if (length.unit === 'px') return length.value;
  return length.unit === '%' ? (room * length.value) / 100 : length.value * cell;
}
