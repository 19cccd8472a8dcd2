/**
 * Selecting with a finger: a long press selects a word, a handle at each end changes the range. What is selected is
 * xterm's own selection; this shows the handles of any that was made by touch.
 */
import type { Terminal } from '@xterm/xterm';
import type { CellGrid } from './cell-grid.ts';
import { type CellRange, extended, withEnd } from './cell-range.ts';
import type { Point } from './touch-gestures.ts';

type End = 'start' | 'end';

/** Of the terminal: where a bar with what can be done hides nothing of the end of the selection. */
export type Side = 'top' | 'bottom';

/** A finger held beyond the edge scrolls by a line this often. */
const SCROLL_EVERY_MS = 60;

export class TouchSelection {
  readonly #terminal: Terminal;
  readonly #host: HTMLElement;
  readonly #grid: CellGrid;
  readonly #changed: () => void;
  readonly #handles: Readonly<Record<End, HTMLElement>>;
  #side: Side | null = null;
  #isTouch = false;
  /** What the finger was put on first, while it is still there. */
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
    // Where nothing is selected no layout is asked for: this runs with every frame of a flood.
    terminal.onRender(() => {
      if (this.#side !== null) this.#place();
    });
    signal.addEventListener('abort', () => this.#stopScrolling());
  }

  /** Where there is room for a bar; null when nothing was selected by touch. */
  get side(): Side | null {
    return this.#side;
  }

  begin(at: Point): void {
    this.#isTouch = true;
    this.#anchor = this.#grid.wordAt(this.#grid.cellAt(at));
    this.#select(this.#anchor);
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
    /** From the finger to the line that it moves: a finger on the handle is below it. */
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

  /** Selects what belongs to the point, and goes on while the finger rests beyond the edge. */
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
    // Not from under a finger.
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
