/**
 * Reads the sequences that show images, as they arrive:
 *
 *   DCS … q data ST                              a sixel image
 *   OSC 1337;File=arguments:base64 ST            a file, as iTerm shows it
 *   OSC 1337;HoldfastImage=number;…:data ST      in snapshots: an image that is not shown yet
 *   OSC 1337;HoldfastTiles=number;… ST           in snapshots: some cells of it
 *
 * The last two let a snapshot show what is left of an image. Programs may print them too; they can do nothing with them
 * that they cannot do with the first two.
 */
import type { Size } from '../../frame.ts';
import { IMAGE_ARGUMENTS_MAX_CHARS } from '../../limits.ts';
import { AsciiData } from './ascii-data.ts';
import { isBase64 } from './base64.ts';
import { headerOfFile } from './file-size.ts';
import { isAllowedSize, type TerminalImage } from './image.ts';
import { fileArguments, shownSize } from './inline-file.ts';
import { SixelMeter } from './sixel-size.ts';
import { parseDefinition, parseTiles, type Tiles } from './snapshot-images.ts';

/** Where the cursor goes: to the image's first column in its last row, below it, or after its last row. */
export type CursorAfter = 'last row' | 'below' | 'right';

export type ReadImage =
  | { readonly kind: 'image'; readonly image: TerminalImage; readonly cursor: CursorAfter }
  | { readonly kind: 'definition'; readonly number: number; readonly image: TerminalImage }
  | { readonly kind: 'tiles'; readonly tiles: Tiles };

/** One sequence. */
export interface ImageReader {
  take(data: ArrayLike<number>, from: number, to: number): void;
  /** Null if there is no image to show: it is too large, or not an image at all. */
  end(terminal: Size): ReadImage | null;
}

export const IMAGE_OSC = 1337;

const isSixelData = (code: number): boolean => code > 0x20 && code < 0x7f;

export class SixelReader implements ImageReader {
  readonly #meter = new SixelMeter();
  readonly #data = new AsciiData(isSixelData);

  take(data: ArrayLike<number>, from: number, to: number): void {
    this.#meter.take(data, from, to);
    this.#data.take(data, from, to);
  }

  end(): ReadImage | null {
    const size = this.#meter.end();
    const data = this.#data.bytes;
    if (size === null || data === null || !isAllowedSize(size)) return null;
    const cursor = this.#meter.endsBelow ? 'below' : 'last row';
    return { kind: 'image', image: { kind: 'sixel', size, shown: size, data }, cursor };
  }
}

const COLON = 0x3a;

/** What follows `1337;`. */
export class FileReader implements ImageReader {
  #arguments = '';
  /** Once the arguments are complete; null: what follows does not matter. */
  #data: AsciiData | null | undefined;

  take(data: ArrayLike<number>, from: number, to: number): void {
    let at = from;
    for (; at < to && this.#data === undefined; at++) this.#character(data[at] as number);
    this.#data?.take(data, at, to);
  }

  end(terminal: Size): ReadImage | null {
    const { name, value } = fieldOf(this.#arguments);
    if (name === TILES && this.#data === undefined) return tilesOf(value);
    const data = this.#data?.bytes ?? null;
    if (data === null) return null;
    return name === DEFINITION ? definitionOf(value, data) : fileOf(value, data, terminal);
  }

  #character(code: number): void {
    if (code === COLON) this.#begin();
    else if (this.#arguments.length < IMAGE_ARGUMENTS_MAX_CHARS)
      this.#arguments += String.fromCodePoint(code);
    else this.#data = null;
  }

  #begin(): void {
    const { name, value } = fieldOf(this.#arguments);
    if (name === FILE && fileArguments(value) !== null) this.#data = new AsciiData(isBase64);
    else this.#data = name === DEFINITION ? new AsciiData(isSixelData) : null;
  }
}

const FILE = 'File';
export const DEFINITION = 'HoldfastImage';
export const TILES = 'HoldfastTiles';

/** Whether the payload of an OSC 1337 is about images. */
export function isAboutImages(payload: string): boolean {
  return [FILE, DEFINITION, TILES].includes(fieldOf(payload).name);
}

function fieldOf(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=');
  return at === -1 ? { name: text, value: '' } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

function fileOf(value: string, data: Uint8Array, terminal: Size): ReadImage | null {
  const wanted = fileArguments(value);
  const header = headerOfFile(data);
  if (wanted === null || header === null || !isAllowedSize(header.size)) return null;
  const shown = shownSize(header.size, wanted, terminal);
  return { kind: 'image', image: { kind: 'file', size: header.size, shown, data }, cursor: 'right' };
}

function definitionOf(value: string, data: Uint8Array): ReadImage | null {
  const parsed = parseDefinition(value);
  return parsed === null
    ? null
    : { kind: 'definition', number: parsed.number, image: { ...parsed.image, data } };
}

function tilesOf(value: string): ReadImage | null {
  const tiles = parseTiles(value);
  return tiles === null ? null : { kind: 'tiles', tiles };
}
