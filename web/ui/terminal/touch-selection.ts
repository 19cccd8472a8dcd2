/**
 * Touch selection: a long press selects a word, and a handle at each end adjusts the range. The selection is xterm's
 * own; this class shows handles on any selection made by touch.
 */
import type { Terminal } from '@xterm/xterm';
import type { CellGrid } from './cell-grid.ts';
import { type CellRange, extended, withEnd } from './cell-range.ts';
import type { Point } from './touch-gestures.ts';

type End = 'start' | 'end';

/** The side of the terminal where a bar with actions does not cover the end of the selection. */
export type Side = 'top' | 'bottom';

/** While a finger is held beyond the edge, the terminal scrolls by one line at this interval. */
const SCROLL_EVERY_MS = 60;

export class TouchSelection {
  readonly #terminal: Terminal;
  readonly #host: HTMLElement;
  readonly #grid: CellGrid;
  readonly #changed: () => void;
  readonly #handles: Readonly<Record<End, HTMLElement>>;
  #side: Side | null = null;
  #isTouch = false;
  /** The word first touched, until the finger is lifted. */
  #anchor: CellRange | null = null;
  #scrolling: ReturnType<typeof setInterval> | undefined;

  constructor(
    terminal: Terminal,
    host: HTMLElement,
    grid: CellGrid,
    { changed, signal }: { readonly changed: () => void; readonly signal: AbortSignal },
  ) {
    this.#terminal = terminal;
    this.#host = host;
    this.#grid = grid;
    this.#changed = changed;
    this.#handles = { start: this.#handle('start', signal), end: this.#handle('end', signal) };
    const noteDevice = ({ pointerType }: PointerEvent) => {
      this.#isTouch = pointerType === 'touch';
      if (!this.#isTouch) this.#update();
    };
    host.ownerDocument.addEventListener('pointerdown', noteDevice, { capture: true, signal });
    terminal.onSelectionChange(() => this.#update());
    // This runs on every frame of a flood of output, so without a selection it must not query the layout.
    terminal.onRender(() => {
      if (this.#side !== null) this.#place();
    });
    signal.addEventListener('abort', () => this.#stopScrolling());
  }

  /** The side with room for a bar; null when nothing is selected by touch. */
  get side(): Side | null {
    return this.#side;
  }

  begin(at: Point): void {
    this.#isTouch = true;
    this.#anchor = this.#grid.wordAt(this.#grid.cellAt(at));
    this.#select(this.#anchor);
    // xterm does not report the same selection twice, even if there was none in between.
    this.#update();
  }

  drag(at: Point): void {
    const anchor = this.#anchor;
    if (anchor !== null) this.#follow(at, (point) => extended(anchor, this.#grid.cellAt(point)));
  }

  end(): void {
    this.#anchor = null;
    this.#stopScrolling();
    this.#update();
  }

  #handle(which: End, signal: AbortSignal): HTMLElement {
    const handle = this.#host.ownerDocument.createElement('div');
    handle.className = 'selection-handle';
    handle.dataset.end = which;
    handle.hidden = true;
    this.#host.append(handle);
    const active = { passive: false, signal };
    /** From the finger to the line it moves: a finger on the handle is below that line. */
    let offset = { x: 0, y: 0 };
    const started = (event: TouchEvent) => {
      event.preventDefault();
      event.stopPropagation();
      const [touch] = event.touches;
      const foot = this.#footOf(which);
      if (touch === undefined || foot === null) return;
      offset = {
        x: foot.clientX - touch.clientX,
        y: foot.clientY - this.#grid.cellHeight / 2 - touch.clientY,
      };
    };
    const moved = (event: TouchEvent) => {
      event.preventDefault();
      event.stopPropagation();
      const [touch] = event.touches;
      const range = this.#range();
      if (touch === undefined || range === null) return;
      const at = { clientX: touch.clientX + offset.x, clientY: touch.clientY + offset.y };
      this.#follow(at, (point) => withEnd(range, which, this.#grid.boundaryAt(point)));
    };
    const ended = (event: TouchEvent) => {
      event.stopPropagation();
      if (event.cancelable) event.preventDefault();
      this.end();
    };
    handle.addEventListener('touchstart', started, active);
    handle.addEventListener('touchmove', moved, active);
    handle.addEventListener('touchend', ended, active);
    handle.addEventListener('touchcancel', ended, active);
    return handle;
  }

  /** Extends the selection to the point, and keeps scrolling while the finger rests beyond the edge. */
  #follow(at: Point, rangeTo: (at: Point) => CellRange): void {
    this.#stopScrolling();
    this.#select(rangeTo(at));
    const way = this.#grid.beyond(at);
    if (way === 0) return;
    this.#scrolling = setInterval(() => {
      this.#terminal.scrollLines(way);
      this.#select(rangeTo(at));
    }, SCROLL_EVERY_MS);
  }

  #stopScrolling(): void {
    clearInterval(this.#scrolling);
    this.#scrolling = undefined;
  }

  #select({ start, end }: CellRange): void {
    const { cols } = this.#terminal;
    this.#terminal.select(start % cols, Math.floor(start / cols), end - start);
  }

  #range(): CellRange | null {
    const { cols } = this.#terminal;
    const position = this.#terminal.getSelectionPosition();
    if (position === undefined) return null;
    const { start, end } = position;
    return { start: start.y * cols + start.x, end: end.y * cols + end.x };
  }

  #footOf(which: End): Point | null {
    const position = this.#terminal.getSelectionPosition();
    return position === undefined ? null : this.#grid.footOf(position[which]);
  }

  #update(): void {
    const side = this.#isTouch && this.#terminal.hasSelection() ? this.#roomySide() : null;
    // The bar does not move while a finger is dragging.
    const isKept = side !== null && this.#side !== null && (this.#anchor !== null || this.#isScrolling);
    const isNew = side !== this.#side && !isKept;
    const isShown = side !== null || this.#side !== null;
    if (isNew) this.#side = side;
    if (isShown) this.#place();
    if (isNew) this.#changed();
  }

  get #isScrolling(): boolean {
    return this.#scrolling !== undefined;
  }

  #roomySide(): Side {
    const foot = this.#footOf('end');
    const { top, height } = this.#host.getBoundingClientRect();
    return foot !== null && foot.clientY > top + height / 2 ? 'top' : 'bottom';
  }

  #place(): void {
    const { left, top } = this.#host.getBoundingClientRect();
    const { scrollLeft, scrollTop } = this.#host;
    for (const which of ['start', 'end'] as const) {
      const handle = this.#handles[which];
      const foot = this.#side === null ? null : this.#footOf(which);
      handle.hidden = foot === null;
      if (foot === null) continue;
      handle.style.left = `${foot.clientX - left + scrollLeft}px`;
      handle.style.top = `${foot.clientY - top + scrollTop}px`;
    }
  }
}
