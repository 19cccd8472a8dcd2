/**
 * Buffers one session's records before they are written to its journal.
 *
 * `append` runs for every chunk a program prints, so it only copies into a growing buffer. Consecutive chunks share a
 * record, and checksums are computed once, in `take`.
 */
import type { Size } from '../../protocol/frame.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { RECORD_BODY_MAX_BYTES, RECORD_HEADER_BYTES, RESIZE_BODY_BYTES, sealRecord } from './record.ts';

/** A fifth of a second at 5 MB/s: how long the disk may take before output is dropped. */
export const BUFFER_MAX_BYTES = 1024 * 1024;

/** Fits a prompt and a few keystrokes; most flushes carry no more. */
const FIRST_ALLOCATION_BYTES = 1024;

/** Whole records, ready to be written. */
export interface Batch {
  readonly bytes: Uint8Array;
  /** Offset after the last record. */
  readonly end: number;
  readonly endsWithResize: boolean;
  /** Frees the memory once the bytes are written or given up. */
  release(): void;
}

export class JournalBuffer {
  readonly #budget: MemoryBudget;
  #bytes = Buffer.alloc(0);
  #used = 0;
  /** Start and offset of the last record, while output can still be added to it. */
  #open: { readonly at: number; readonly offset: number } | null = null;
  #start: number;
  #end: number;
  #endsWithResize = false;

  constructor(budget: MemoryBudget, offset: number) {
    this.#budget = budget;
    this.#start = offset;
    this.#end = offset;
  }

  /** Offset of the first byte held; if none is held, of the next byte. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  /** How many bytes the journal will grow by. */
  get length(): number {
    return this.#used;
  }

  /** False if there is no room: none of `bytes` was taken. */
  append(bytes: Uint8Array): boolean {
    const records = 1 + Math.floor(bytes.length / RECORD_BODY_MAX_BYTES);
    if (!this.#reserve(bytes.length, records)) return false;
    for (let at = 0; at < bytes.length; ) {
      const open = this.#openRecord();
      const room = RECORD_BODY_MAX_BYTES - (this.#end - open.offset);
      const piece = bytes.subarray(at, at + room);
      this.#bytes.set(piece, this.#used);
      this.#grow(piece.length);
      this.#end += piece.length;
      at += piece.length;
      if (piece.length === room) this.#seal();
    }
    return true;
  }

  resize(size: Size): boolean {
    if (!this.#reserve(RESIZE_BODY_BYTES, 1)) return false;
    this.#seal();
    const at = this.#used;
    this.#bytes.writeUInt16BE(size.cols, at + RECORD_HEADER_BYTES);
    this.#bytes.writeUInt16BE(size.rows, at + RECORD_HEADER_BYTES + 2);
    sealRecord(this.#bytes, at, 'resize', this.#end, RESIZE_BODY_BYTES);
    this.#grow(RECORD_HEADER_BYTES + RESIZE_BODY_BYTES);
    this.#endsWithResize = true;
    return true;
  }

  /** Everything held, as whole records; null if nothing is. Its memory counts until it is released. */
  take(): Batch | null {
    if (this.#used === 0) return null;
    this.#seal();
    const bytes = this.#bytes.subarray(0, this.#used);
    const batch = { bytes, end: this.#end, endsWithResize: this.#endsWithResize };
    this.#reset(this.#end);
    return { ...batch, release: () => this.#budget.release(bytes.length) };
  }

  /** Drops everything held; the next byte has this offset. */
  clear(offset: number): void {
    this.#budget.release(this.#used);
    this.#reset(offset);
  }

  #reset(offset: number): void {
    this.#bytes = Buffer.alloc(0);
    this.#used = 0;
    this.#open = null;
    this.#start = offset;
    this.#end = offset;
    this.#endsWithResize = false;
  }

  #openRecord(): { readonly at: number; readonly offset: number } {
    if (this.#open === null) {
      this.#open = { at: this.#used, offset: this.#end };
      this.#grow(RECORD_HEADER_BYTES);
      this.#endsWithResize = false;
    }
    return this.#open;
  }

  #seal(): void {
    if (this.#open === null) return;
    const { at, offset } = this.#open;
    sealRecord(this.#bytes, at, 'output', offset, this.#end - offset);
    this.#open = null;
  }

  #grow(bytes: number): void {
    this.#used += bytes;
    this.#budget.hold(bytes);
  }

  /** Makes room for `body` bytes in at most `records` new records. */
  #reserve(body: number, records: number): boolean {
    const added = body + records * RECORD_HEADER_BYTES;
    const wanted = this.#used + added;
    if (wanted > BUFFER_MAX_BYTES || !this.#budget.fits(added)) return false;
    if (wanted > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(wanted, this.#bytes.length * 2, FIRST_ALLOCATION_BYTES));
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
    }
    return true;
  }
}
