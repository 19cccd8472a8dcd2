/** What agents leave for the next one about a program, by name. The keeper does not read it. */
import { BLOB_NAME_MAX_CHARS, BLOBS_MAX, BLOBS_MAX_BYTES } from './limits.ts';

export class KeptBlobs {
  readonly #blobs = new Map<string, Uint8Array>();

  entries(): [name: string, bytes: Uint8Array][] {
    return [...this.#blobs];
  }

  /** Replaces what was left under this name. Beyond the limit, what was left before stays. */
  put(name: string, bytes: Uint8Array): void {
    if (name.length > BLOB_NAME_MAX_CHARS) return;
    if (this.#blobs.size >= BLOBS_MAX && !this.#blobs.has(name)) return;
    const others = this.entries().reduce((sum, [key, blob]) => sum + (key === name ? 0 : blob.length), 0);
    if (others + bytes.length > BLOBS_MAX_BYTES) return;
    // A copy: `slice` of a Buffer is a view.
    this.#blobs.set(name, new Uint8Array(bytes));
  }
}
