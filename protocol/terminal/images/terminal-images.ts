/**
 * The images of a terminal, in the agent's and in the page's: both place them with this, so that they cover the same
 * cells in both. Decoding and drawing is the page's business, and happens later.
 */

import { cellsOf, type TerminalImage } from './image.ts';
import {
  type CursorAfter,
  FileReader,
  IMAGE_OSC,
  type ImageReader,
  type ReadImage,
  SixelReader,
} from './image-reader.ts';
import { type ImageRoom, ImageStore } from './image-store.ts';
import type { Tiles } from './snapshot-images.ts';
import { type TileRun, TileWriter, type WritableLine } from './tile.ts';

/** A handler of xterm's parser for strings that are read as they arrive. */
interface StringHandler {
  put(data: Uint32Array, start: number, end: number): void;
}

interface ImagedBuffer {
  x: number;
  readonly y: number;
  readonly ybase: number;
  readonly lines: { get(row: number): WritableLine | undefined };
  /** Without attributes: one with the default colours. xterm always returns the same object. */
  getNullCell(): object;
}

/** The xterm internals that this needs, in the page or headless. */
export interface ImagedCore {
  readonly cols: number;
  readonly rows: number;
  /** The active one is an ImagedBuffer. */
  readonly buffers: { readonly active: unknown };
  registerEscHandler(id: { readonly final: string }, handle: () => boolean): unknown;
  readonly _inputHandler: {
    lineFeed(): boolean;
    readonly _dirtyRowTracker: { markDirty(row: number): void };
    readonly _parser: {
      registerOscHandler(
        code: number,
        handler: StringHandler & { start(): void; end(isWhole: boolean): boolean },
      ): unknown;
      registerDcsHandler(
        id: { readonly final: string },
        handler: StringHandler & { hook(): void; unhook(isWhole: boolean): boolean },
      ): unknown;
    };
  };
}

interface ImageOptions {
  readonly room?: ImageRoom | undefined;
  /** Tiles were placed. */
  readonly placed?: () => void;
}

export class TerminalImages {
  readonly #core: ImagedCore;
  readonly #store: ImageStore;
  readonly #tiles = new TileWriter();
  readonly #placed: () => void;
  /** The sequence that is being received. */
  #reader: ImageReader | null = null;
  #next = 1;
  #hasTiles = false;

  constructor(core: ImagedCore, { room, placed = () => {} }: ImageOptions = {}) {
    this.#core = core;
    this.#store = new ImageStore(room);
    this.#placed = placed;
    const { _parser: parser } = core._inputHandler;
    const put: StringHandler['put'] = (data, start, end) => this.#reader?.take(data, start, end);
    parser.registerDcsHandler(
      { final: 'q' },
      { hook: () => this.#begin(new SixelReader()), put, unhook: (isWhole) => this.#end(isWhole) },
    );
    parser.registerOscHandler(IMAGE_OSC, {
      start: () => this.#begin(new FileReader()),
      put,
      end: (isWhole) => this.#end(isWhole),
    });
    core.registerEscHandler({ final: 'c' }, () => {
      this.reset();
      return false;
    });
  }

  get images(): ReadonlyMap<number, TerminalImage> {
    return this.#store.images;
  }

  /** Whether cells may have tiles; false if none can have. */
  get hasTiles(): boolean {
    return this.#hasTiles;
  }

  /** All cells were erased, or will be. */
  reset(): void {
    this.#store.clear();
    this.#hasTiles = false;
  }

  get #buffer(): ImagedBuffer {
    return this.#core.buffers.active as ImagedBuffer;
  }

  #begin(reader: ImageReader): void {
    this.#reader = reader;
  }

  /** False for what is not about images, which other handlers may know. */
  #end(isWhole: boolean): boolean {
    const read = isWhole ? this.#reader?.end(this.#core) : null;
    this.#reader = null;
    if (read === null || read === undefined) return false;
    this.#take(read);
    return true;
  }

  #take(read: ReadImage): void {
    if (read.kind === 'tiles') return this.#restore(read.tiles);
    const number = read.kind === 'definition' ? read.number : this.#next;
    this.#next = Math.max(this.#next, number + 1);
    this.#store.add(number, read.image);
    if (read.kind === 'image') this.#place(number, read.image, read.cursor);
  }

  /** As if it was printed: the screen scrolls if there are not enough rows below. What is too wide is cut. */
  #place(number: number, { shown }: TerminalImage, cursor: CursorAfter): void {
    const { cols, _inputHandler: input } = this.#core;
    const size = cellsOf(shown);
    const from = Math.min(this.#buffer.x, cols - 1);
    const to = Math.min(cols, from + size.cols);
    for (let row = 0; row < size.rows; row++) {
      if (row > 0) input.lineFeed();
      this.#set({ tile: { image: number, row, col: 0 }, from, to });
    }
    if (cursor === 'below') input.lineFeed();
    this.#buffer.x = cursor === 'right' ? Math.min(to, cols - 1) : from;
  }

  #restore({ tile, count, at }: Tiles): void {
    const { cols } = this.#core;
    const from = at ?? Math.min(this.#buffer.x, cols - 1);
    this.#next = Math.max(this.#next, tile.image + 1);
    if (from < cols) this.#set({ tile, from, to: Math.min(cols, from + count) });
  }

  #set(run: TileRun): void {
    const { lines, y, ybase } = this.#buffer;
    const line = lines.get(ybase + y);
    if (line === undefined) return;
    this.#tiles.set(line, run, this.#buffer.getNullCell());
    this.#core._inputHandler._dirtyRowTracker.markDirty(y);
    this.#hasTiles = true;
    this.#placed();
  }
}
