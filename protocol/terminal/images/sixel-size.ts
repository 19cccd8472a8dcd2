/**
 * Measures sixel data as it arrives, without painting it. The data begins with its size (raster attributes) if the
 * program knows it; otherwise the size is what the data paints.
 *
 *   "1;1;320;200   raster attributes: the shape of a pixel, the width and the height
 *   #5;2;90;0;0    colour: selects one, or defines it
 *   !40~           repeats a sixel, which is one column of six pixels: `?` to `~`
 *   $              back to the left; -  the next band of six rows
 */
import type { ImageSize } from './image.ts';

const FIRST_SIXEL = 0x3f;
const LAST_SIXEL = 0x7e;
const BAND_PX = 6;
const RASTER = 0x22;
const REPEAT = 0x21;
const RETURN = 0x24;
const NEXT_BAND = 0x2d;
const SEPARATOR = 0x3b;

/** No number in sixel data that we use is larger. It also keeps sums exact. */
const NUMBER_MAX = 1_000_000;

/** A colour has five. */
const NUMBERS_MAX = 8;

export class SixelMeter {
  /** The command whose numbers are being read. */
  #command = 0;
  #numbers: number[] = [];
  #declared: ImageSize | null = null;
  #hasPainted = false;
  #x = 0;
  #width = 0;
  #bands = 0;
  /** Whether the current band has sixels. */
  #isBandUsed = false;
  #last = 0;

  take(data: ArrayLike<number>, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const code = data[at] as number;
      if (code <= 0x20) continue;
      this.#last = code;
      // What follows a declared size does not change it.
      if (this.#declared !== null) continue;
      if (code >= 0x30 && code <= 0x39) this.#digit(code - 0x30);
      else if (code === SEPARATOR) this.#separate();
      else this.#character(code);
    }
  }

  /** After the last of the data. Null if nothing was painted and no size was declared. */
  end(): ImageSize | null {
    this.#declare();
    if (this.#declared !== null) return this.#declared;
    const bands = this.#bands + (this.#isBandUsed ? 1 : 0);
    return this.#width === 0 ? null : { width: this.#width, height: bands * BAND_PX };
  }

  /** Whether the data ends by going to the next band: the program wants to continue below the image. */
  get endsBelow(): boolean {
    return this.#last === NEXT_BAND;
  }

  #digit(digit: number): void {
    const at = Math.max(0, this.#numbers.length - 1);
    this.#numbers[at] = Math.min(NUMBER_MAX, (this.#numbers[at] ?? 0) * 10 + digit);
  }

  #separate(): void {
    if (this.#numbers.length === 0) this.#numbers.push(0);
    if (this.#numbers.length < NUMBERS_MAX) this.#numbers.push(0);
  }

  #character(code: number): void {
    const count = this.#command === REPEAT ? Math.max(1, this.#numbers[0] ?? 1) : 1;
    this.#declare();
    this.#command = code;
    this.#numbers = [];
    if (code >= FIRST_SIXEL && code <= LAST_SIXEL) this.#sixels(count);
    else if (code === RETURN) this.#x = 0;
    else if (code === NEXT_BAND) this.#nextBand();
  }

  /** Only before anything is painted. */
  #declare(): void {
    const [, , width = 0, height = 0] = this.#numbers;
    if (this.#command !== RASTER || this.#hasPainted || width === 0 || height === 0) return;
    this.#declared = { width, height };
  }

  #sixels(count: number): void {
    this.#hasPainted = true;
    this.#isBandUsed = true;
    this.#x = Math.min(NUMBER_MAX, this.#x + count);
    this.#width = Math.max(this.#width, this.#x);
  }

  #nextBand(): void {
    this.#x = 0;
    this.#isBandUsed = false;
    if (this.#bands < NUMBER_MAX) this.#bands++;
  }
}
