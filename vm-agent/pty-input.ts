/**
 * What waits to be typed into a terminal. Written at once when the terminal has room, which costs half the
 * latency of the thread pool; otherwise tried again ever more slowly, as nothing tells when a terminal has
 * room again.
 */
import { writeSync } from 'node:fs';

/** A terminal that is full is tried again this soon: a program that reads empties it within a millisecond. */
const RETRY_FIRST_MS = 1;
/** … and this late at most: hundreds of programs that never read cost nothing, one that wakes up waits little. */
const RETRY_LAST_MS = 100;

export class PtyInput {
  readonly #fd: number;
  readonly #queue: { bytes: Uint8Array; readonly taken: () => void }[] = [];
  #retryMs = RETRY_FIRST_MS;
  #timer: NodeJS.Timeout | undefined;
  backlogBytes = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(bytes: Uint8Array, taken: () => void): void {
    const written = this.#queue.length === 0 ? writeNow(this.#fd, bytes) : 0;
    if (this.#queue.length === 0 && written === bytes.length) {
      taken();
      return;
    }
    // A copy: the caller's array may be part of a frame that is reused.
    this.#queue.push({ bytes: new Uint8Array(bytes.subarray(written)), taken });
    this.backlogBytes += bytes.length - written;
    this.#timer ??= setTimeout(() => this.#retry(), this.#retryMs);
  }

  /** Nobody will read it any more; `taken` is not called for what was not. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#queue.length = 0;
    this.backlogBytes = 0;
  }

  #retry(): void {
    this.#timer = undefined;
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_LAST_MS);
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      const written = writeNow(this.#fd, next.bytes);
      if (written > 0) this.#retryMs = RETRY_FIRST_MS;
      this.backlogBytes -= written;
      next.bytes = next.bytes.subarray(written);
      if (next.bytes.length > 0) {
        this.#timer = setTimeout(() => this.#retry(), this.#retryMs);
        return;
      }
      this.#queue.shift();
      next.taken();
    }
  }
}

/** How many of `bytes` the terminal takes. Fewer than all means that it is full: EAGAIN, or a partial write. */
function writeNow(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch {
    return 0;
  }
}
