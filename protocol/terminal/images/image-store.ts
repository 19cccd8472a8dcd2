/** The images that a terminal remembers, by number, within its bounds. The oldest are forgotten first. */
import { IMAGES_KEPT, IMAGES_KEPT_MAX_CHARS } from '../../limits.ts';
import type { TerminalImage } from './image.ts';

/** What all terminals of a thread may remember together. */
export interface ImageRoom {
  /** False if there is not so much room. */
  take(chars: number): boolean;
  release(chars: number): void;
}

export class ImageStore {
  readonly #images = new Map<number, TerminalImage>();
  readonly #room: ImageRoom | undefined;
  #chars = 0;

  constructor(room?: ImageRoom) {
    this.#room = room;
  }

  get images(): ReadonlyMap<number, TerminalImage> {
    return this.#images;
  }

  /** Older images give way. If there is no room although none is left, this one is not remembered. */
  add(number: number, image: TerminalImage): void {
    this.#forget(number);
    const chars = image.data.length;
    while (this.#images.size >= IMAGES_KEPT || this.#chars + chars > IMAGES_KEPT_MAX_CHARS)
      if (!this.#forgetOldest()) return;
    while (this.#room?.take(chars) === false) if (!this.#forgetOldest()) return;
    this.#chars += chars;
    this.#images.set(number, image);
  }

  clear(): void {
    for (const number of [...this.#images.keys()]) this.#forget(number);
  }

  /** Numbers grow with time; a restored terminal gets its images in the order of their rows. */
  #forgetOldest(): boolean {
    let oldest = Number.POSITIVE_INFINITY;
    for (const number of this.#images.keys()) oldest = Math.min(oldest, number);
    this.#forget(oldest);
    return Number.isFinite(oldest);
  }

  #forget(number: number): void {
    const image = this.#images.get(number);
    if (image === undefined) return;
    this.#images.delete(number);
    this.#chars -= image.data.length;
    this.#room?.release(image.data.length);
  }
}
