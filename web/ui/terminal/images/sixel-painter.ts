/**
 * Paints sixel data. What lies outside the image is not painted, and painting stops when it has painted so much that no
 * program means it: `!4096~$` paints 24 576 pixels with seven characters, and may be repeated.
 */
import type { ImageSize } from '../../../../protocol/terminal/images/image.ts';
import { defaultColours, hlsColour, rgbColour } from './sixel-colours.ts';

export interface PaintLimits {
  readonly colours: number;
  /** Pixels painted for one image. */
  readonly paintedPixels: number;
}

const FIRST_SIXEL = 0x3f;
const LAST_SIXEL = 0x7e;
const BAND_PX = 6;
const COLOUR = 0x23;
const REPEAT = 0x21;
const RETURN = 0x24;
const NEXT_BAND = 0x2d;
const SEPARATOR = 0x3b;
/** A colour has five numbers. */
const NUMBERS_MAX = 8;

export class SixelPainter {
  readonly #pixels: Uint32Array<ArrayBuffer>;
  readonly #width: number;
  readonly #height: number;
  readonly #colours: Uint32Array;
  readonly #maxPainted: number;
  readonly #numbers = new Float64Array(NUMBERS_MAX);
  #count = 0;
  #command = 0;
  #colour: number;
  #x = 0;
  #y = 0;
  #painted = 0;

  constructor({ width, height }: ImageSize, { colours, paintedPixels }: PaintLimits) {
    this.#colours = defaultColours(colours);
    this.#colour = this.#colours[0] as number;
    this.#maxPainted = paintedPixels;
    this.#width = width;
    this.#height = height;
    this.#pixels = new Uint32Array(width * height);
  }

  /** RGBA; transparent where nothing is painted. */
  get pixels(): Uint8ClampedArray<ArrayBuffer> {
    return new Uint8ClampedArray(this.#pixels.buffer);
  }

  /** Whether nothing that follows changes the image. */
  get isDone(): boolean {
    return this.#painted > this.#maxPainted || this.#y >= this.#height;
  }

  /** The data may be cut anywhere. */
  paint(data: Uint8Array): void {
    for (let at = 0; at < data.length && !this.isDone; at++) {
      const code = data[at] as number;
      if (code >= FIRST_SIXEL && code <= LAST_SIXEL) this.#sixel(code - FIRST_SIXEL);
      else if (code >= 0x30 && code <= 0x39) this.#digit(code - 0x30);
      else if (code === SEPARATOR) this.#separate();
      else this.#begin(code);
    }
  }

  #digit(digit: number): void {
    if (this.#count === 0) this.#count = 1;
    const at = this.#count - 1;
    this.#numbers[at] = (this.#numbers[at] as number) * 10 + digit;
  }

  #separate(): void {
    this.#count = Math.min(NUMBERS_MAX, Math.max(1, this.#count) + 1);
    this.#numbers[this.#count - 1] = 0;
  }

  /** Another command; the one before it has all its numbers. */
  #begin(command: number): void {
    if (this.#command === COLOUR) this.#setColour();
    this.#command = command;
    this.#count = 0;
    this.#numbers[0] = 0;
    if (command !== RETURN && command !== NEXT_BAND) return;
    this.#x = 0;
    if (command === NEXT_BAND) this.#y += BAND_PX;
  }

  #sixel(bits: number): void {
    const repeat = this.#command === REPEAT ? Math.max(1, this.#numbers[0] as number) : 1;
    if (this.#command !== 0) this.#begin(0);
    const from = this.#x;
    const to = Math.min(this.#width, from + repeat);
    this.#x = to;
    if (bits !== 0 && to > from) this.#fill(bits, from, to);
  }

  /** The lowest bit of a sixel is its top pixel. */
  #fill(bits: number, from: number, to: number): void {
    const rows = Math.min(BAND_PX, this.#height - this.#y);
    for (let row = 0; row < rows; row++) {
      if ((bits & (1 << row)) === 0) continue;
      const start = (this.#y + row) * this.#width;
      if (to - from === 1) this.#pixels[start + from] = this.#colour;
      else this.#pixels.fill(this.#colour, start + from, start + to);
      this.#painted += to - from;
    }
  }

  /** `#5` selects a colour, `#5;2;90;0;0` defines it as well. */
  #setColour(): void {
    const numbers = this.#numbers;
    const at = (numbers[0] as number) % this.#colours.length;
    const [a, b, c] = [numbers[2] as number, numbers[3] as number, numbers[4] as number];
    if (this.#count >= 5) this.#colours[at] = numbers[1] === 1 ? hlsColour(a, b, c) : rgbColour(a, b, c);
    this.#colour = this.#colours[at] as number;
  }
}
