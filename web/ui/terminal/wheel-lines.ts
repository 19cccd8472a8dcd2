/** How many lines a turn of the wheel is, for programs that fill the screen and know no mouse. */

export interface WheelTurn {
  readonly deltaY: number;
  /** As in `WheelEvent`: 0 in pixels, 1 in lines, 2 in pages. */
  readonly deltaMode: number;
  /** Made from the way of a finger, to the pixel. */
  readonly isExact: boolean;
}

interface WheelGrid {
  readonly cellHeight: number;
  readonly rows: number;
}

/** As in most terminals. */
const LINES_PER_NOTCH = 3;
/** What browsers tell for a notch is 100 or more, or about half of it with a small scale; a touchpad tells less at a time. */
const NOTCH_PX = 100;
const NOTCH_MIN_PX = 50;

export class WheelLines {
  /** What was turned and is not yet a whole line. */
  #rest = 0;

  /** Positive is down. */
  take({ deltaMode, deltaY, isExact }: WheelTurn, { cellHeight, rows }: WheelGrid): number {
    if (deltaMode === 1) return this.#whole(deltaY);
    if (deltaMode === 2) return this.#whole(deltaY * rows);
    if (isExact || Math.abs(deltaY) < NOTCH_MIN_PX) return this.#whole(deltaY / Math.max(1, cellHeight));
    this.#rest = 0;
    return Math.sign(deltaY) * LINES_PER_NOTCH * Math.max(1, Math.round(Math.abs(deltaY) / NOTCH_PX));
  }

  #whole(lines: number): number {
    if (Math.sign(lines) !== Math.sign(this.#rest)) this.#rest = 0;
    this.#rest += lines;
    const whole = Math.trunc(this.#rest) || 0; // and not -0
    this.#rest -= whole;
    return whole;
  }
}
