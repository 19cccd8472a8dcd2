/**
 * Holds output for a terminal in a thread, from the moment it is printed until the thread has parsed it. It is kept
 * that long for two reasons: a snapshot at offset O is completed with the output from O on, and if a thread dies, its
 * replacement needs the output again.
 *
 *   start                    sent                      end
 *     ├── in the thread ──────┼── waits here only ──────┤
 *
 * Resizes are queued between the bytes they came between.
 */
import type { Size } from '../../protocol/frame.ts';
import { type Chunk, ChunkPool } from './chunk-pool.ts';
import { BATCH_MAX_BYTES, IN_FLIGHT_MAX_BYTES, SHARED_MIN_BYTES } from './limits.ts';
import { concat } from './pending.ts';
import type { Progress, QueuedPiece } from './thread-messages.ts';

interface Output {
  readonly kind: 'output';
  offset: number;
  bytes: Uint8Array;
  /** The shared chunk that `bytes` is part of, if any; returned to the pool once the thread has read it. */
  chunk: Chunk | undefined;
  /** When its first byte was queued. */
  readonly queuedAt: number;
}

interface Resize {
  readonly kind: 'resize';
  readonly offset: number;
  readonly size: Size;
}

export class OutputQueue {
  #sent: (Output | Resize)[] = [];
  #waiting: (Output | Resize)[] = [];
  #start: number;
  #end: number;
  /** Resizes that the thread has applied since it opened this terminal. */
  #resizes = 0;
  /** Bytes from `start` on that the thread has but cannot parse until more arrive. */
  #held = 0;
  #size: Size;
  #isCut = false;
  readonly #chunks: ChunkPool;

  constructor(offset: number, size: Size, chunks = new ChunkPool()) {
    this.#chunks = chunks;
    this.#start = offset;
    this.#end = offset;
    this.#size = size;
  }

  /** The terminal's size at `start`. */
  get size(): Size {
    return this.#size;
  }

  /** Offset of the first byte the thread has not parsed. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  get bytes(): number {
    return this.#end - this.#start;
  }

  /** Nothing is left to parse. An incomplete character at the end does not count; it may wait for hours. */
  get isIdle(): boolean {
    return (
      this.bytes === this.#held && [...this.#sent, ...this.#waiting].every((item) => item.kind === 'output')
    );
  }

  /** Copies `bytes`. They must directly follow what was queued before. */
  write(offset: number, bytes: Uint8Array, now: number): void {
    if (offset !== this.#end)
      throw new Error(`invariant: output at ${offset} follows output up to ${this.#end}`);
    this.#end += bytes.length;
    const last = this.#isCut ? undefined : this.#waiting.at(-1);
    this.#isCut = false;
    if (last?.kind === 'output' && this.#append(last, bytes)) return;
    for (let at = 0; at < bytes.length; at += BATCH_MAX_BYTES) {
      const part = bytes.subarray(at, at + BATCH_MAX_BYTES);
      this.#waiting.push({ kind: 'output', offset: offset + at, ...this.#copy(part), queuedAt: now });
    }
  }

  /** False if it has no room. */
  #append(item: Output, bytes: Uint8Array): boolean {
    const { chunk } = item;
    const length = item.bytes.length + bytes.length;
    if (chunk === undefined) {
      if (length > BATCH_MAX_BYTES) return false;
      Object.assign(item, this.#copy(concat(item.bytes, bytes)));
      return true;
    }
    const start = item.bytes.byteOffset;
    if (start + length > chunk.length) return false;
    chunk.set(bytes, start + item.bytes.length);
    item.bytes = chunk.subarray(start, start + length);
    return true;
  }

  #copy(bytes: Uint8Array): Pick<Output, 'bytes' | 'chunk'> {
    if (bytes.length < SHARED_MIN_BYTES) return { bytes: bytes.slice(), chunk: undefined };
    const chunk = this.#chunks.take();
    chunk.set(bytes);
    return { bytes: chunk.subarray(0, bytes.length), chunk };
  }

  #release(item: Output): void {
    if (item.chunk !== undefined) this.#chunks.give(item.chunk);
    item.chunk = undefined;
  }

  /** What follows is parsed in a step of its own. */
  cut(): void {
    this.#isCut = true;
  }

  resize(size: Size): void {
    this.#waiting.push({ kind: 'resize', offset: this.#end, size });
  }

  /** Returns what may be sent to the thread now, and marks it as sent. */
  take(): QueuedPiece[] {
    let count = 0;
    for (const { offset } of this.#waiting) {
      if (offset - this.#start >= IN_FLIGHT_MAX_BYTES) break;
      count++;
    }
    // At once: removing the first of a long array moves all the others.
    const taken = this.#waiting.splice(0, count);
    for (const item of taken) this.#sent.push(item);
    return taken;
  }

  /** The thread has made this progress. */
  parsed({ offset, resizes, held }: Progress): void {
    this.#start = offset;
    this.#held = held;
    const left = this.#sent.filter((item) => {
      if (item.kind === 'output') return !this.#isParsed(item, offset, held);
      if (this.#resizes >= resizes) return true;
      this.#resizes++;
      this.#size = item.size;
      return false;
    });
    this.#sent = left;
  }

  /** When the output at `offset` was queued; undefined if it is no longer held. */
  queuedAt(offset: number): number | undefined {
    const at = this.#sent.find((item) => item.kind === 'output' && offset < item.offset + item.bytes.length);
    return at?.kind === 'output' ? at.queuedAt : undefined;
  }

  /** Everything held, oldest first. */
  pieces(): QueuedPiece[] {
    // Copies, because the caller keeps them and chunks are reused.
    return [...this.#sent, ...this.#waiting].map((item) =>
      item.kind === 'resize'
        ? item
        : { kind: 'output', offset: item.offset, bytes: new Uint8Array(item.bytes) },
    );
  }

  /** Another thread takes over: everything held must be sent again. */
  rewind(): void {
    this.#waiting = [...this.#sent, ...this.#waiting];
    this.#sent = [];
    this.#resizes = 0;
  }

  /** Discards what the thread was sent. */
  dropSent(): void {
    for (const item of this.#sent.splice(0)) {
      if (item.kind === 'resize') this.#size = item.size;
      else this.#release(item);
    }
    this.#start = this.#waiting[0]?.offset ?? this.#end;
    this.#held = 0;
    this.#resizes = 0;
  }

  /** Trims `item` to its unparsed part; true if nothing is left. */
  #isParsed(item: Output, offset: number, held: number): boolean {
    const end = item.offset + item.bytes.length;
    const done = Math.min(Math.max(0, offset - item.offset), item.bytes.length);
    // An incomplete character may stay for hours and must not keep its whole batch; the thread has a copy.
    const isRead = offset + held >= end;
    item.bytes = isRead ? item.bytes.slice(done) : item.bytes.subarray(done);
    item.offset += done;
    if (isRead) this.#release(item);
    return item.offset === end;
  }
}
