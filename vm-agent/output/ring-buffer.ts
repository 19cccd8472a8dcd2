/**
 * The last `capacity` bytes of a stream, addressed by absolute offset.
 *
 * Offsets count bytes since the stream began and never restart, so a reader remembers one number to
 * resume: either the bytes after it are still here, or `start` says from where they are.
 *
 * Byte n of the stream, while held, lives at index n % #bytes.length. The array grows by doubling until
 * it reaches the capacity: hundreds of idle shells have printed a prompt each and pay for a prompt each.
 */

/** A prompt and a few commands fit; doubling from here reaches 256 KiB in eight steps. */
const FIRST_BYTES = 1024;

export class RingBuffer {
  readonly #capacity: number;
  #bytes: Uint8Array;
  /** Offset one past the newest byte. */
  #end = 0;
  /** Nothing before this offset is held, whatever the capacity; `reset` moves it. */
  #floor = 0;

  constructor(capacity: number) {
    if (!(capacity >= 1))
      throw new Error(`invariant: a ring buffer holds at least one byte, not ${capacity}`);
    this.#capacity = capacity;
    this.#bytes = this.#emptyArray();
  }

  /** Offset of the oldest byte still held. */
  get start(): number {
    return Math.max(this.#floor, this.#end - this.#capacity);
  }

  /** Offset one past the newest byte: how many were ever written. */
  get end(): number {
    return this.#end;
  }

  /** How many bytes are held. */
  get length(): number {
    return this.#end - this.start;
  }

  /** Appends `chunk`; the oldest bytes make room for it. */
  write(chunk: Uint8Array): void {
    const kept = chunk.length > this.#capacity ? chunk.subarray(-this.#capacity) : chunk;
    this.#makeRoom(this.length + kept.length);
    this.#end += chunk.length;
    this.#place(this.#end - kept.length, kept);
  }

  /** A copy of the held bytes at or after `from`, oldest first. */
  read(from: number): Uint8Array<ArrayBuffer> {
    const first = Math.min(Math.max(from, this.start), this.#end);
    const copy = new Uint8Array(this.#end - first);
    const index = first % this.#bytes.length;
    const head = this.#bytes.subarray(index, index + copy.length);
    copy.set(head);
    copy.set(this.#bytes.subarray(0, copy.length - head.length), head.length);
    return copy;
  }

  /** Forgets every byte and gives the memory back. Offsets go on: readers elsewhere hold some. */
  reset(): void {
    this.#floor = this.#end;
    this.#bytes = this.#emptyArray();
  }

  #emptyArray(): Uint8Array {
    return new Uint8Array(Math.min(FIRST_BYTES, this.#capacity));
  }

  /** Growth comes before eviction: as long as the array is below capacity, every byte is still in it. */
  #makeRoom(wanted: number): void {
    let size = this.#bytes.length;
    while (size < wanted && size < this.#capacity) size = Math.min(size * 2, this.#capacity);
    if (size === this.#bytes.length) return;
    const held = this.read(this.start);
    this.#bytes = new Uint8Array(size);
    this.#place(this.#end - held.length, held);
  }

  /** Puts `bytes`, which begin at `offset`, where their offsets say; at most one array full of them. */
  #place(offset: number, bytes: Uint8Array): void {
    const index = offset % this.#bytes.length;
    const room = this.#bytes.length - index;
    if (bytes.length <= room) {
      this.#bytes.set(bytes, index);
      return;
    }
    this.#bytes.set(bytes.subarray(0, room), index);
    this.#bytes.set(bytes.subarray(room), 0);
  }
}
