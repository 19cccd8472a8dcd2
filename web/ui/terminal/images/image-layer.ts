/**
 * Draws the images of a terminal on a canvas over its text. An image is scaled from the cells in which it is laid out
 * to the cells of this window's font, run of tiles by run of tiles.
 */
import type { Terminal } from '@xterm/xterm';
import type { TerminalImage } from '../../../../protocol/terminal/images/image.ts';
import type { TerminalImages } from '../../../../protocol/terminal/images/terminal-images.ts';
import { runsOf, type TiledLine, type TileRun } from '../../../../protocol/terminal/images/tile.ts';
import { type BitmapLimits, Bitmaps } from './bitmaps.ts';
import { sourceOf } from './source-area.ts';

/** For an image that is forgotten, or cannot be decoded. */
const MISSING = 'rgb(128 128 128 / 25%)';

/** A terminal's rows; its public interface does not have extended attributes. */
interface Core {
  readonly coreService: { readonly isCursorHidden: boolean };
  readonly buffers: { readonly active: { readonly lines: { get(row: number): TiledLine | undefined } } };
}

/** In pixels of the canvas. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

type ShownImages = Pick<TerminalImages, 'images' | 'hasTiles'>;

export class ImageLayer {
  readonly #terminal: Terminal;
  readonly #images: ShownImages;
  readonly #canvas = document.createElement('canvas');
  readonly #bitmaps: Bitmaps;
  #isShown = true;
  #isBlank = true;

  constructor(terminal: Terminal, images: ShownImages, limits: BitmapLimits) {
    this.#terminal = terminal;
    this.#images = images;
    this.#bitmaps = new Bitmaps(limits, () => this.#draw());
    this.#canvas.className = 'image-layer';
    this.#canvas.ariaHidden = 'true';
    terminal.onRender(() => this.#draw());
  }

  show(isShown: boolean): void {
    this.#isShown = isShown;
    if (isShown) {
      this.#terminal.element?.querySelector('.xterm-screen')?.append(this.#canvas);
      this.#draw();
    } else {
      this.#canvas.remove();
      this.#bitmaps.clear();
    }
  }

  #draw(): void {
    const context = this.#canvas.getContext('2d');
    // While painting is stopped, the images stay with the picture that is shown.
    if (context === null || !this.#isShown || this.#terminal.modes.synchronizedOutputMode) return;
    const screen = this.#canvas.parentElement?.getBoundingClientRect();
    if (screen === undefined || screen.width === 0) return;
    if (!this.#images.hasTiles) {
      if (!this.#isBlank) context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
      this.#isBlank = true;
      return;
    }
    this.#isBlank = false;
    this.#fit(screen);
    this.#bitmaps.begin();
    this.#drawRows(context);
    this.#uncoverCursor(context);
  }

  /** Clears the canvas, too. */
  #fit({ width, height }: DOMRect): void {
    this.#canvas.width = Math.round(width * devicePixelRatio);
    this.#canvas.height = Math.round(height * devicePixelRatio);
    Object.assign(this.#canvas.style, { width: `${width}px`, height: `${height}px` });
  }

  #drawRows(context: CanvasRenderingContext2D): void {
    const { rows, cols, buffer } = this.#terminal;
    const { lines } = this.#core.buffers.active;
    for (let row = 0; row < rows; row++) {
      const line = lines.get(buffer.active.viewportY + row);
      if (line === undefined) continue;
      for (const run of runsOf(line, cols)) this.#drawRun(context, run, row);
    }
  }

  #drawRun(context: CanvasRenderingContext2D, run: TileRun, row: number): void {
    const area = this.#areaOf(run.from, run.to, row);
    const image = this.#images.images.get(run.tile.image);
    const bitmap = image === undefined ? null : this.#bitmaps.of(image);
    if (bitmap === undefined) return; // it is being decoded
    if (image === undefined || bitmap === null) {
      context.fillStyle = MISSING;
      context.fillRect(area.left, area.top, area.width, area.height);
      return;
    }
    this.#drawPart(context, { image, bitmap, run }, area);
  }

  #drawPart(
    context: CanvasRenderingContext2D,
    { image, bitmap, run }: { image: TerminalImage; bitmap: ImageBitmap; run: TileRun },
    area: Area,
  ): void {
    const source = sourceOf(run, image, bitmap);
    if (source === null) return;
    const [width, height] = [area.width * source.across, area.height * source.down];
    context.drawImage(
      bitmap,
      ...[source.x, source.y, source.width, source.height],
      ...[area.left, area.top, width, height],
    );
  }

  /** A program that waits for input after an image leaves its cursor there. */
  #uncoverCursor(context: CanvasRenderingContext2D): void {
    const { cursorX, cursorY, baseY, viewportY } = this.#terminal.buffer.active;
    const row = baseY + cursorY - viewportY;
    if (this.#core.coreService.isCursorHidden || row >= this.#terminal.rows) return;
    const { left, top, width, height } = this.#areaOf(cursorX, cursorX + 1, row);
    context.clearRect(left, top, width, height);
  }

  /** In whole pixels of the canvas, so that no line is left between two rows. */
  #areaOf(from: number, to: number, row: number): Area {
    const { rows, cols } = this.#terminal;
    const left = Math.round((from * this.#canvas.width) / cols);
    const top = Math.round((row * this.#canvas.height) / rows);
    const right = Math.round((to * this.#canvas.width) / cols);
    const bottom = Math.round(((row + 1) * this.#canvas.height) / rows);
    return { left, top, width: right - left, height: bottom - top };
  }

  get #core(): Core {
    return (this.#terminal as unknown as { readonly _core: Core })._core;
  }
}
