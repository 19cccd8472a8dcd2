/**
 * A session's journal on disk: numbered segments, of which the last is being written.
 *
 * A snapshot makes segments superfluous as a whole, so cutting the journal is deleting files: nothing is
 * rewritten, and a crash in the middle leaves files that the snapshot's `continues` says to ignore.
 */
import { type FileHandle, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFile } from '../../node/private-files.ts';
import type { Batch } from './journal-buffer.ts';
import { JOURNAL_HEADER } from './record.ts';

export interface Segment {
  readonly number: number;
  readonly bytes: number;
  /** Offset after its last record. */
  readonly end: number;
  /** Whether that record is a change of size, which a snapshot at the same offset may not show. */
  readonly endsWithResize: boolean;
}

const SEGMENT_NAME = /^journal-(\d+)$/;

export const segmentName = (number: number) => `journal-${number}`;

/** The number of a segment's file; null for other files. */
export function segmentNumber(name: string): number | null {
  const digits = SEGMENT_NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export class JournalFile {
  readonly #dir: string;
  #closed: Segment[];
  #active: { readonly handle: FileHandle; readonly segment: Segment } | null = null;
  #nextNumber: number;
  #unsynced = false;

  constructor(dir: string, found: { readonly segments: readonly Segment[]; readonly nextNumber: number }) {
    this.#dir = dir;
    this.#closed = [...found.segments];
    this.#nextNumber = found.nextNumber;
  }

  get byteLength(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** How much writing `batch` adds to the disk. */
  cost(batch: Batch): number {
    return batch.bytes.length + (this.#active === null ? JOURNAL_HEADER.length : 0);
  }

  /** Throws what the disk says; what it wrote of the batch by then is cut off again. */
  async append(batch: Batch): Promise<void> {
    const { handle, segment } = this.#active ?? (await this.#begin());
    const { bytes } = segment;
    try {
      if (bytes === 0) await writeAll(handle, JOURNAL_HEADER, 0);
      const at = Math.max(bytes, JOURNAL_HEADER.length);
      await writeAll(handle, batch.bytes, at);
      const { end, endsWithResize } = batch;
      const grown = { number: segment.number, bytes: at + batch.bytes.length, end, endsWithResize };
      this.#active = { handle, segment: grown };
      this.#unsynced = true;
    } catch (error) {
      await handle.truncate(bytes).catch(() => {});
      await this.rotate();
      throw error;
    }
  }

  /** Ends the segment being written; the next batch begins another. */
  async rotate(): Promise<void> {
    if (this.#active === null) return;
    const { handle, segment } = this.#active;
    this.#active = null;
    this.#closed.push(segment);
    await handle.close();
  }

  /** Number of the first segment a snapshot at `offset` needs after it; of the next one if it needs none. */
  continuation(offset: number): number {
    const needed = this.#segments.find(
      ({ end, endsWithResize }) => end > offset || (end === offset && endsWithResize),
    );
    return needed?.number ?? this.#nextNumber;
  }

  /** Number of the segment that will be begun next. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Deletes the segments before `number`. The one being written is not among them: rotate first. */
  async cut(number: number): Promise<void> {
    for (const segment of this.#closed.filter((segment) => segment.number < number)) {
      await rm(join(this.#dir, segmentName(segment.number)), { force: true });
      this.#closed = this.#closed.filter((other) => other !== segment);
    }
  }

  /** Makes what was written survive a power cut. Runs beside `append`; the kernel keeps them apart. */
  async sync(): Promise<void> {
    const active = this.#active;
    if (active === null || !this.#unsynced) return;
    this.#unsynced = false;
    try {
      await active.handle.datasync();
    } catch (error) {
      // Closed meanwhile, because a snapshot replaced it.
      if (this.#active?.handle === active.handle) throw error;
    }
  }

  async #begin(): Promise<{ readonly handle: FileHandle; readonly segment: Segment }> {
    const number = this.#nextNumber;
    const handle = await createPrivateFile(join(this.#dir, segmentName(number)));
    this.#nextNumber += 1;
    this.#active = { handle, segment: { number, bytes: 0, end: 0, endsWithResize: false } };
    return this.#active;
  }

  get #segments(): Segment[] {
    return this.#active === null ? this.#closed : [...this.#closed, this.#active.segment];
  }
}

/** A write may take less than it was given, on a full disk for instance; then the next one says why. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
