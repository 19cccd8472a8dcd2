/**
 * Keeps the last `capacity` bytes of a stream, addressed by absolute offset.
 *
 * Offsets count bytes since the stream began and never restart. A reader therefore remembers one number to resume:
 * either the bytes after it are still held, or `start` says where the held bytes begin.
 *
 * While held, byte n of the stream is at index n % #bytes.length. The array doubles until it reaches the capacity, so
 * an idle shell that printed one prompt uses little memory.
 */

/** Fits a prompt and a few commands; doubling reaches 256 KiB in eight steps. */
const FIRST_BYTES = 1024;

export class RingBuffer {
  #capacity: number;
  #bytes: Uint8Array;
  /** Offset one past the newest byte. */
  #end: number;
  /** Nothing before this offset is held, whatever the capacity; `reset` moves it. */
  #floor: number;

  /** `from`: the offset of the first byte that will be written. */
  constructor(capacity: number, from = 0) {
    this.#end = from;
    this.#floor = from;
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

  /** Appends `chunk` and drops the oldest bytes beyond the capacity. */
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

  /** Holds at most `capacity` bytes from now on; never more than before. */
  limit(capacity: number): void {
    if (capacity >= this.#capacity) return;
    const held = this.read(this.#end - capacity);
    this.#capacity = capacity;
    if (this.#bytes.length <= capacity) return;
    this.#bytes = new Uint8Array(capacity);
    this.#place(this.#end - held.length, held);
  }

  /** Drops every byte and frees the memory. Offsets continue, because readers have stored some. */
  reset(): void {
    this.#floor = this.#end;
    this.#bytes = this.#emptyArray();
  }

  #emptyArray(): Uint8Array {
    return new Uint8Array(Math.min(FIRST_BYTES, this.#capacity));
  }

  /** Growth comes before eviction: while the array is below capacity, it holds every byte. */
  #makeRoom(wanted: number): void {
    let size = this.#bytes.length;
    while (size < wanted && size < this.#capacity) size = Math.min(size * 2, this.#capacity);
    if (size === this.#bytes.length) return;
    const held = this.read(this.start);
    this.#bytes = new Uint8Array(size);
    this.#place(this.#end - held.length, held);
  }

  /** Stores `bytes`, which begin at `offset`, at the indices of their offsets. They fit into the array. */
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
