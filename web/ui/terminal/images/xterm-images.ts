/**
 * The images of a terminal in the page. Their cells are set as they are parsed; the code that decodes and draws them is
 * loaded when the first one arrives.
 */
import type { Terminal } from '@xterm/xterm';
import { BITMAPS_MAX_PIXELS, SIXEL_COLOURS, SIXEL_PAINTED_MAX_PIXELS } from '../../../../protocol/limits.ts';
import { isAllowedSize } from '../../../../protocol/terminal/images/image.ts';
import { type ImagedCore, TerminalImages } from '../../../../protocol/terminal/images/terminal-images.ts';
import type { ImageLayer } from './image-layer.ts';
import { type MousedCore, scaleMousePixels } from './mouse-pixels.ts';

export type ImagedPageCore = ImagedCore & MousedCore;

const LIMITS = {
  pixels: BITMAPS_MAX_PIXELS,
  paintedPixels: SIXEL_PAINTED_MAX_PIXELS,
  colours: SIXEL_COLOURS,
  isAllowed: isAllowedSize,
};

export class XtermImages {
  readonly #terminal: Terminal;
  readonly #images: TerminalImages;
  #layer: ImageLayer | null = null;
  #isLoading = false;
  #isShown = true;
  #isDisposed = false;

  constructor(terminal: Terminal, core: ImagedPageCore) {
    this.#terminal = terminal;
    scaleMousePixels(core);
    this.#images = new TerminalImages(core, { placed: () => this.#load() });
  }

  /** Everything in the terminal was erased. */
  reset(): void {
    this.#images.reset();
  }

  /** Whether this terminal is the visible one. Only that one keeps decoded images. */
  show(isShown: boolean): void {
    this.#isShown = isShown;
    this.#layer?.show(isShown);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#layer?.show(false);
  }

  #load(): void {
    if (this.#isLoading) return;
    this.#isLoading = true;
    void import('./image-layer.ts').then(
      ({ ImageLayer }) => {
        if (this.#isDisposed) return;
        this.#layer = new ImageLayer(this.#terminal, this.#images, LIMITS);
        this.#layer.show(this.#isShown);
      },
      () => {
        // The network is gone, or the page was replaced by a newer one: the next image tries again.
        this.#isLoading = false;
      },
    );
  }
}
