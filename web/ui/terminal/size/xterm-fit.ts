/**
 * Sizes a terminal to its window: how many cells fit, and the font size at which another window's size is shown. Only a
 * visible terminal is fitted: a hidden element has no size, and the terminal would shrink to nothing.
 */
import type { Terminal } from '@xterm/xterm';
import type { Size } from '../../../../protocol/frame.ts';
import { fitSize, fontToFit, type PixelSize } from './fit.ts';
import { isSameSize } from './sized-screen.ts';

/** The width that xterm reserves on the right for its scroll bar. */
const SCROLL_BAR_PX = 14;

interface XtermFitOptions {
  readonly fontSize: number;
  /** Initial size where the window cannot tell, as in a hidden tab. */
  readonly size: Size | null;
  /** The window has room for another size. */
  readonly fitted: (size: Size) => void;
}

export class XtermFit {
  readonly #terminal: Terminal;
  readonly #host: HTMLElement;
  readonly #tell: (size: Size) => void;
  readonly #resizes: ResizeObserver;
  #fontSize: number;
  #frame = 0;
  #fitted: Size;
  /** A cell at the configured font size; null until it can be measured. */
  #cell: PixelSize | null = null;
  #isDriving = true;

  constructor(terminal: Terminal, host: HTMLElement, options: XtermFitOptions) {
    this.#terminal = terminal;
    this.#host = host;
    this.#tell = options.fitted;
    this.#fontSize = options.fontSize;
    this.#measure();
    this.#fitted = this.#proposal() ?? options.size ?? sizeOf(terminal);
    terminal.resize(this.#fitted.cols, this.#fitted.rows);
    this.#resizes = new ResizeObserver(() => this.soon());
    this.#resizes.observe(host);
  }

  /** The size that fits the window, whatever size the terminal has at the moment. */
  get fitted(): Size {
    const { cols, rows } = this.#fitted;
    return { cols, rows };
  }

  /** Dragging a window's edge reports many sizes between two frames; only the last one before a frame counts. */
  soon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      this.#measure();
      const size = this.#proposal();
      if (size === null) return;
      const isNew = !isSameSize(size, this.#fitted);
      this.#fitted = size;
      if (isNew) this.#tell(size);
      this.letterbox();
    });
  }

  /**
   * Whether this window decides the size. A size decided by another window is shown as it is, in a smaller font if
   * necessary.
   */
  drive(isDriving: boolean): void {
    if (this.#isDriving === isDriving) return;
    this.#isDriving = isDriving;
    this.letterbox();
  }

  /** The font has changed, so the cells are measured again. */
  restyled(fontSize: number): void {
    this.#fontSize = fontSize;
    this.#cell = null;
    this.soon();
  }

  letterbox(): void {
    if (this.#cell === null) return;
    const room = this.#room();
    if (room.width <= 0) return;
    const size = sizeOf(this.#terminal);
    const wanted = this.#isDriving ? this.#fontSize : fontToFit(room, this.#cell, size, this.#fontSize);
    if (this.#terminal.options.fontSize !== wanted) this.#terminal.options.fontSize = wanted;
    this.#host.toggleAttribute('data-letterbox', !this.#isDriving && !isSameSize(size, this.#fitted));
  }

  dispose(): void {
    this.#resizes.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  #room(): PixelSize {
    return { width: this.#host.clientWidth - SCROLL_BAR_PX, height: this.#host.clientHeight };
  }

  #proposal(): Size | null {
    return this.#cell === null ? null : fitSize(this.#room(), this.#cell);
  }

  /** Measures only at the full font size, because smaller ones are rounded differently. */
  #measure(): void {
    if (this.#terminal.options.fontSize !== this.#fontSize) return;
    const screen = this.#terminal.element?.querySelector('.xterm-screen');
    if (!screen || screen.clientWidth === 0) return;
    const { width, height } = screen.getBoundingClientRect();
    this.#cell = { width: width / this.#terminal.cols, height: height / this.#terminal.rows };
  }
}

function sizeOf({ cols, rows }: Terminal): Size {
  return { cols, rows };
}
