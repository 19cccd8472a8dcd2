/** Converts wheel movement to lines, for full-screen programs that do not track the mouse. */

export interface WheelTurn {
  readonly deltaY: number;
  /** As in `WheelEvent`: 0 is pixels, 1 lines, 2 pages. */
  readonly deltaMode: number;
  /** Made from the movement of a finger, exact to the pixel. */
  readonly isExact: boolean;
}

interface WheelGrid {
  readonly cellHeight: number;
  readonly rows: number;
}

/** The value most terminals use. */
const LINES_PER_NOTCH = 3;
/** Browsers report 100 or more for a notch, or about half of it at a small scale; a touchpad reports less at a time. */
const NOTCH_PX = 100;
const NOTCH_MIN_PX = 50;

export class WheelLines {
  /** Movement that does not yet make up a whole line. */
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
    const whole = Math.trunc(this.#rest) || 0; // turns -0 into 0
    this.#rest -= whole;
    return whole;
  }
}
