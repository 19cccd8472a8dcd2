/**
 * The decoded images of the visible terminal, within a bound. Those that are drawn stay; others give way, and are
 * decoded again when they are scrolled to.
 */
import type { TerminalImage } from '../../../../protocol/terminal/images/image.ts';
import { type DecodeLimits, decodeImage } from './decode-image.ts';

export interface BitmapLimits extends DecodeLimits {
  /** Pixels of all that are kept. */
  readonly pixels: number;
}

/**
 * An image counts at least as this part of the bound. Images of one pixel would otherwise be kept by the million: twice
 * as many are kept as a terminal has at once.
 */
const ENTRIES_MAX = 256;

/** Null: it cannot be decoded. Undefined: it is being decoded. */
interface Entry {
  readonly pixels: number;
  bitmap: ImageBitmap | null | undefined;
  /** The drawing that needed it last. */
  drawing: number;
}

export class Bitmaps {
  readonly #limits: BitmapLimits;
  readonly #decoded: () => void;
  readonly #entries = new Map<string, Entry>();
  readonly #keys = new WeakMap<TerminalImage, string>();
  #pixels = 0;
  #drawing = 0;
  /** Decoding that began before the last `clear` has no effect. */
  #life = 0;

  /** `decoded`: something can be drawn that could not be drawn before. */
  constructor(limits: BitmapLimits, decoded: () => void) {
    this.#limits = limits;
    this.#decoded = decoded;
  }

  /** Everything that is visible is asked for after this. */
  begin(): void {
    this.#drawing++;
  }

  /** Undefined: not yet. Null: never, because it is broken, or because the visible images fill the bound. */
  of(image: TerminalImage): ImageBitmap | null | undefined {
    const key = this.#keyOf(image);
    const entry = this.#entries.get(key) ?? this.#start(key, image);
    if (entry === null) return null;
    entry.drawing = this.#drawing;
    return entry.bitmap;
  }

  clear(): void {
    this.#life++;
    for (const key of [...this.#entries.keys()]) this.#drop(key);
  }

  #start(key: string, image: TerminalImage): Entry | null {
    const pixels = Math.max(this.#limits.pixels / ENTRIES_MAX, image.size.width * image.size.height);
    if (!this.#madeRoom(pixels)) return null;
    const entry: Entry = { pixels, bitmap: undefined, drawing: this.#drawing };
    this.#entries.set(key, entry);
    this.#pixels += pixels;
    const life = this.#life;
    void decodeImage(image, this.#limits).then((bitmap) => {
      if (life !== this.#life || this.#entries.get(key) !== entry) return bitmap?.close();
      entry.bitmap = bitmap;
      this.#decoded();
    });
    return entry;
  }

  /** Those that the current drawing has asked for stay, or two images would replace each other for ever. */
  #madeRoom(pixels: number): boolean {
    for (const [key, { drawing }] of this.#entries) {
      if (this.#pixels + pixels <= this.#limits.pixels) break;
      if (drawing !== this.#drawing) this.#drop(key);
    }
    return this.#pixels + pixels <= this.#limits.pixels;
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#pixels -= entry.pixels;
    entry.bitmap?.close();
  }

  /** A snapshot brings the same images as other objects; what is decoded is still good. */
  #keyOf(image: TerminalImage): string {
    const known = this.#keys.get(image);
    if (known !== undefined) return known;
    const { kind, size, data } = image;
    const key = `${kind} ${size.width} ${size.height} ${data.length} ${hashOf(data)}`;
    this.#keys.set(image, key);
    return key;
  }
}

/** 53 bits. A program that prints two images with the same hash only confuses its own window. */
function hashOf(data: Uint8Array): string {
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (const byte of data) {
    one = Math.imul(one ^ byte, 0x9e3779b1);
    two = Math.imul(two ^ byte, 0x5f356495);
  }
  return `${one >>> 0} ${two >>> 0}`;
}
