/** Collects the data of one image as it arrives, within the limit of one image. */
import { IMAGE_MAX_CHARS } from '../../limits.ts';

const FIRST_BYTES = 256;

export class AsciiData {
  readonly #isData: (code: number) => boolean;
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;
  #seen = 0;

  /** Characters that are no data, such as line breaks, are left out. They count, so that every reader counts alike. */
  constructor(isData: (code: number) => boolean) {
    this.#isData = isData;
  }

  take(data: ArrayLike<number>, from: number, to: number): void {
    this.#seen += to - from;
    if (this.#seen > IMAGE_MAX_CHARS) {
      this.#length = 0;
      this.#bytes = new Uint8Array(0);
      return;
    }
    this.#makeRoom(to - from);
    for (let at = from; at < to; at++) {
      const code = data[at] as number;
      if (this.#isData(code)) this.#bytes[this.#length++] = code;
    }
  }

  /** What has come so far; null if it was too long. */
  get bytes(): Uint8Array | null {
    return this.#seen > IMAGE_MAX_CHARS ? null : this.#bytes.slice(0, this.#length);
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = new Uint8Array(
      Math.min(IMAGE_MAX_CHARS, Math.max(2 * this.#bytes.length, this.#length + more)),
    );
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
