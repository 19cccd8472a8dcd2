/**
 * A session's journal on disk: numbered segments, of which the last is being written.
 *
 * A snapshot makes whole segments obsolete, so cutting the journal means deleting files. Nothing is rewritten. A crash
 * in between leaves files that the snapshot's `continues` field says to ignore.
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
  /** Whether the last record is a resize, which a snapshot at the same offset may not include. */
  readonly endsWithResize: boolean;
}

const SEGMENT_NAME = /^journal-(\d+)$/;

export const segmentName = (number: number) => `journal-${number}`;

/** The number of a segment file; null for other files. */
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

  /** How many bytes writing `batch` adds to the disk. */
  cost(batch: Batch): number {
    return batch.bytes.length + (this.#active === null ? JOURNAL_HEADER.length : 0);
  }

  /** Throws the disk's error, after removing the part of the batch that was written. */
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

  /** Ends the current segment; the next batch starts a new one. */
  async rotate(): Promise<void> {
    if (this.#active === null) return;
    const { handle, segment } = this.#active;
    this.#active = null;
    this.#closed.push(segment);
    await handle.close();
  }

  /** Number of the first segment needed after a snapshot at `offset`; if none is needed, of the next segment. */
  continuation(offset: number): number {
    const needed = this.#segments.find(
      ({ end, endsWithResize }) => end > offset || (end === offset && endsWithResize),
    );
    return needed?.number ?? this.#nextNumber;
  }

  /** Number of the next segment to be created. */
  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Deletes the segments before `number`, except the one being written: call `rotate` first. */
  async cut(number: number): Promise<void> {
    for (const segment of this.#closed.filter((segment) => segment.number < number)) {
      await rm(join(this.#dir, segmentName(segment.number)), { force: true });
      this.#closed = this.#closed.filter((other) => other !== segment);
    }
  }

  /** Makes written data survive a power failure. May run during `append`; the kernel keeps them apart. */
  async sync(): Promise<void> {
    const active = this.#active;
    if (active === null || !this.#unsynced) return;
    this.#unsynced = false;
    try {
      await active.handle.datasync();
    } catch (error) {
      // It was closed meanwhile, because a snapshot replaced it.
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

/** A write may be partial, for instance on a full disk; the next one then reports the error. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}
