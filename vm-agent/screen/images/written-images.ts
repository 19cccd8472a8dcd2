/** Writes the images of a snapshot: each image before the first row that shows a part of it, and the parts in place. */
import { imageLabel, type TerminalImage } from '../../../protocol/terminal/images/image.ts';
import { writtenDefinition } from '../../../protocol/terminal/images/snapshot-images.ts';
import { runsOf } from '../../../protocol/terminal/images/tile.ts';
import type { XtermLine } from '../xterm/xterm.ts';

/** What a snapshot knows of the images of a terminal. */
export interface ImageState {
  readonly images: ReadonlyMap<number, TerminalImage>;
  /** Whether cells may have tiles. */
  readonly hasTiles: boolean;
}

export const NO_IMAGES: ImageState = { images: new Map(), hasTiles: false };

/** About as long as a piece that is deflated at once. */
const PIECE_CHARS = 64 * 1024;

export class WrittenImages {
  readonly #images: ReadonlyMap<number, TerminalImage>;
  readonly hasTiles: boolean;
  readonly #written = new Set<number>();

  constructor({ images, hasTiles }: ImageState) {
    this.#images = images;
    this.hasTiles = hasTiles;
  }

  /** The images that this row shows, unless they were written before. Nothing for an image that is forgotten. */
  *definitions(line: XtermLine, cols: number): Generator<string> {
    for (const { tile } of runsOf(line, cols)) {
      const image = this.#images.get(tile.image);
      if (image === undefined || this.#written.has(tile.image)) continue;
      this.#written.add(tile.image);
      yield writtenDefinition(tile.image, image);
      for (let at = 0; at < image.data.length; at += PIECE_CHARS)
        yield ascii(image.data, at, at + PIECE_CHARS);
      yield '\x1b\\';
    }
  }
}

function ascii({ buffer, byteOffset, length }: Uint8Array, from: number, to: number): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1', from, Math.min(to, length));
}

/** The newest images that have no more than so many characters together. */
export function newestImages({ images, hasTiles }: ImageState, maxChars: number): ImageState {
  const kept = new Map<number, TerminalImage>();
  let chars = 0;
  for (const [number, image] of [...images].sort(([a], [b]) => b - a)) {
    chars += image.data.length;
    if (chars > maxChars) break;
    kept.set(number, image);
  }
  return { images: kept, hasTiles };
}

/** What stands in place of an image in text, from its first cell on. */
export interface ImageText {
  readonly text: string;
  /** Where the image's cells end in this row. */
  readonly to: number;
}

/** By column, the images whose first row this is. Their other rows are blank. */
export function imageTexts(
  { images, hasTiles }: ImageState,
  line: XtermLine,
  cols: number,
): ReadonlyMap<number, ImageText> {
  const texts = new Map<number, ImageText>();
  for (const { tile, from, to } of hasTiles ? runsOf(line, cols) : []) {
    const image = tile.row === 0 && tile.col === 0 ? images.get(tile.image) : undefined;
    if (image !== undefined) texts.set(from, { text: imageLabel(image), to });
  }
  return texts;
}

/** How much data they have. */
export function imageCharsOf({ images }: ImageState): number {
  let chars = 0;
  for (const { data } of images.values()) chars += data.length;
  return chars;
}
