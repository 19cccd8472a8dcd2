/** Bounds the images of all terminals of a thread. */
import { IMAGES_AWAKE_MAX_CHARS } from '../../../protocol/limits.ts';
import type { ImageRoom } from '../../../protocol/terminal/images/image-store.ts';

export class SharedImageRoom implements ImageRoom {
  #chars = 0;

  take(chars: number): boolean {
    if (this.#chars + chars > IMAGES_AWAKE_MAX_CHARS) return false;
    this.#chars += chars;
    return true;
  }

  release(chars: number): void {
    this.#chars -= chars;
  }
}
