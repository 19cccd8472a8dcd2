/**
 * Replaces images in output for terminals of others: the rows and columns of an image are left blank, with its size in
 * words where there is room. Such a terminal may not draw images, or draw them in cells of another size; with the blank
 * cells it shows everything else where the agent's terminal has it. And it never gets an image whose end is missing,
 * after which it would take everything for more of the image.
 */
import type { Size } from '../../frame.ts';
import type { Token } from '../token.ts';
import { cellsOf, imageLabel } from './image.ts';
import {
  FileReader,
  IMAGE_OSC,
  type ImageReader,
  isAboutImages,
  type ReadImage,
  SixelReader,
} from './image-reader.ts';

const CANCELLED = '\x18';
const SIXEL_START = /^[\d;:]*q/;

export class ImageFilter {
  #reader: ImageReader | null = null;
  /** Whether the cursor is known to be in the first column, so that a label cannot wrap. */
  #isAtStart = false;

  /** What to write instead of the token; undefined if it is not about images. */
  replaced(token: Token, terminal: Size): string | undefined {
    switch (token.kind) {
      case 'string':
      case 'long-start': {
        const reader = readerOf(token.introducer, token.data);
        if (reader === null) return undefined;
        if (token.kind === 'string') return this.#written(reader.end(terminal), terminal);
        this.#reader = reader;
        return '';
      }
      case 'long-more':
        if (this.#reader === null) return undefined;
        feed(this.#reader, token.data);
        return '';
      case 'long-end':
        return this.#longEnd(token.end, terminal);
      default:
        this.#follow(token);
        return undefined;
    }
  }

  /** Text and controls that need no filter were written. */
  passed(text: string): void {
    // Line feeds alone stay in their column.
    if (!/^\n*$/.test(text)) this.#isAtStart = /\r\n*$/.test(text);
  }

  /** Another stream begins. */
  reset(): void {
    this.#reader = null;
    this.#isAtStart = false;
  }

  #longEnd(end: string, terminal: Size): string | undefined {
    const reader = this.#reader;
    if (reader === null) return undefined;
    this.#reader = null;
    return end === CANCELLED ? '' : this.#written(reader.end(terminal), terminal);
  }

  #written(read: ReadImage | null, terminal: Size): string {
    if (read?.kind !== 'image') return '';
    const written = blank(read, this.#isAtStart ? terminal : null);
    if (read.cursor === 'right') this.#isAtStart = false;
    return written;
  }

  #follow(token: Token): void {
    if (token.kind === 'control') {
      if (token.char === '\r') this.#isAtStart = true;
      else if (token.char !== '\n') this.#isAtStart = false;
    } else if (token.kind !== 'csi' || token.final !== 'm') this.#isAtStart = false;
  }
}

function readerOf(introducer: string, data: string): ImageReader | null {
  if (introducer === 'P') {
    const [start] = SIXEL_START.exec(data) ?? [];
    return start === undefined ? null : feed(new SixelReader(), data.slice(start.length));
  }
  const code = `${IMAGE_OSC};`;
  if (introducer !== ']' || !data.startsWith(code)) return null;
  const payload = data.slice(code.length);
  return isAboutImages(payload) ? feed(new FileReader(), payload) : null;
}

function feed<R extends ImageReader>(reader: R, data: string): R {
  const codes = Uint16Array.from({ length: data.length }, (_, at) => data.charCodeAt(at));
  reader.take(codes, 0, codes.length);
  return reader;
}

/** `terminal`: its size, if the image begins in its first column. */
function blank({ image, cursor }: ReadImage & { readonly kind: 'image' }, terminal: Size | null): string {
  const { cols, rows } = cellsOf(image.shown);
  const label = imageLabel(image);
  const erase = `\x1b[${cols}X`;
  const hasRoom = label.length <= cols && label.length < (terminal?.cols ?? 0);
  const first = erase + (hasRoom ? `${label}\x1b[${label.length}D` : '');
  const after = cursor === 'below' ? '\n' : cursor === 'right' ? `\x1b[${cols}C` : '';
  return first + `\n${erase}`.repeat(rows - 1) + after;
}
