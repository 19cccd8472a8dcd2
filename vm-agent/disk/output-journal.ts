/**
 * Writes a session's output to its journal.
 *
 *                 the disk refuses or is too slow, bulk output, a jump in the offsets
 *   following ────────────────────────────────────────────────────────────────► broken
 *       ▲                                                                          │
 *       └──────────────────────────────────────────────────────────────────────────┘
 *                 a snapshot was written, and the buffer holds all output since
 *
 * While following, output goes through a buffer to the disk. While broken, output is missing from the journal, so new
 * output cannot be appended. It still passes through the buffer: a snapshot shows the screen of a moment ago, and the
 * buffer then holds what was printed since. `closed` is final.
 */
import type { Size } from '../../protocol/frame.ts';
import { JournalBuffer } from './journal-buffer.ts';
import type { SessionFiles } from './session-files.ts';
import type { SessionHost } from './session-host.ts';

/** A write of this size costs hardly more than a small one. */
export const FLUSH_BYTES = 64 * 1024;

/** Bulk output is not worth more disk space: its snapshots come every second and show what a person could see. */
export const JOURNAL_MAX_BYTES = 4 * 1024 * 1024;

type JournalState =
  | { readonly name: 'following' }
  /** `wantsBytes`: the room to wait for, after the quota dropped the session's screen or had no room for it. */
  | { readonly name: 'broken'; readonly wantsBytes: number }
  | { readonly name: 'closed' };

interface JournalEvents {
  /** A batch was written. */
  grown(): void;
  /** Only a snapshot can continue the journal. */
  broken(): void;
  /** The disk reported an error. */
  refused(why: string): void;
  tooSlow(): void;
}

export class OutputJournal {
  readonly #host: SessionHost;
  readonly #id: string;
  readonly #files: SessionFiles;
  readonly #events: JournalEvents;
  readonly #buffer: JournalBuffer;
  #state: JournalState = { name: 'following' };
  #isFlushing = false;

  constructor(host: SessionHost, id: string, files: SessionFiles, end: number, events: JournalEvents) {
    this.#host = host;
    this.#id = id;
    this.#files = files;
    this.#events = events;
    this.#buffer = new JournalBuffer(host.budget, end);
  }

  get state(): JournalState {
    return this.#state;
  }

  /** Offset after the last byte printed. */
  get end(): number {
    return this.#buffer.end;
  }

  /** Bytes that are not on disk yet. */
  get heldBytes(): number {
    return this.#buffer.length;
  }

  append(offset: number, bytes: Uint8Array): void {
    this.expect(offset);
    if (!this.#buffer.append(bytes)) this.#overflow(offset + bytes.length);
    else if (this.#buffer.length >= FLUSH_BYTES) this.flush();
  }

  resized(offset: number, size: Size): void {
    this.expect(offset);
    if (!this.#buffer.resize(size)) this.#overflow(offset);
  }

  /** The next byte has this offset. A jump means that the caller restarted, or skipped some output. */
  expect(offset: number): void {
    if (offset === this.#buffer.end) return;
    this.#buffer.clear(offset);
    this.break();
  }

  flush(): void {
    if (this.#isFlushing || this.#state.name !== 'following' || this.#buffer.length === 0) return;
    this.#isFlushing = true;
    this.#host.queue.track(this.#drain());
  }

  /** Writes everything held, then closes. Never throws. */
  async finish(): Promise<void> {
    await this.#host.queue.run(() => this.#writeBuffer());
    this.close();
  }

  /** Buffered output is kept: it has no gaps and follows the missing part. */
  break(wantsBytes = 0): void {
    if (this.#state.name === 'closed') return;
    this.#state = { name: 'broken', wantsBytes };
    this.#events.broken();
  }

  /** A snapshot at `offset` was written. If output after it is missing too, another snapshot must follow. */
  mend(offset: number): void {
    if (this.#state.name === 'broken' && this.#buffer.start <= offset) this.#state = { name: 'following' };
  }

  close(): void {
    this.#buffer.clear(this.#buffer.end);
    this.#state = { name: 'closed' };
  }

  /** There is no memory for what was printed up to `end`. */
  #overflow(end: number): void {
    this.#buffer.clear(end);
    if (this.#state.name === 'broken') return;
    this.#events.tooSlow();
    this.break();
  }

  async #drain(): Promise<void> {
    do await this.#host.queue.run(() => this.#writeBuffer());
    while (this.#canWrite && this.#buffer.length >= FLUSH_BYTES);
    this.#isFlushing = false;
  }

  /** Without metadata on disk a session cannot be restored, so nothing is journalled. */
  get #canWrite(): boolean {
    return this.#state.name === 'following' && this.#files.hasMetadata;
  }

  async #writeBuffer(): Promise<void> {
    if (!this.#canWrite) return;
    const batch = this.#buffer.take();
    if (batch === null) return;
    try {
      const bytes = this.#files.cost(batch);
      const isFlood = this.#files.journalBytes + bytes > JOURNAL_MAX_BYTES;
      if (isFlood || !(await this.#host.makeRoom(bytes, this.#id, 'exited'))) return this.break();
      await this.#files.append(batch);
      this.#events.grown();
    } catch (error) {
      this.#events.refused((error as Error).message);
      this.break();
    } finally {
      batch.release();
    }
  }
}
