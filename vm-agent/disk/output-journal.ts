/**
 * A session's output on its way to the journal.
 *
 *                 the disk refuses or is too slow, a flood, a jump in the offsets
 *   following ────────────────────────────────────────────────────────────────► broken
 *       ▲                                                                          │
 *       └──────────────────────────────────────────────────────────────────────────┘
 *                 a snapshot was written that what is held continues
 *
 * Following, output goes through a buffer to the disk. Broken, the journal has ended too early for what comes
 * next; output only passes through the buffer, so that a snapshot, which shows the screen of a moment ago,
 * finds what was printed since. `closed` is final.
 */
import type { Size } from '../../protocol/frame.ts';
import { JournalBuffer } from './journal-buffer.ts';
import type { SessionFiles } from './session-files.ts';
import type { SessionHost } from './session-host.ts';

/** A write of this size costs the disk hardly more than a small one. */
export const FLUSH_BYTES = 64 * 1024;

/** A flood is not worth more of the disk: its snapshots come every second, and show what a person could see. */
export const JOURNAL_MAX_BYTES = 4 * 1024 * 1024;

type JournalState =
  | { readonly name: 'following' }
  /** `wantsBytes`: room to wait for, after the quota took the session's screen or had none for it. */
  | { readonly name: 'broken'; readonly wantsBytes: number }
  | { readonly name: 'closed' };

interface JournalEvents {
  /** A batch was written. */
  grown(): void;
  /** Only a snapshot can continue the journal. */
  broken(): void;
  /** The disk said no. */
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

  /** The next byte has this offset. A jump means that the caller began anew, or kept something to itself. */
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

  /** Writes everything held; for the last time. Never throws. */
  async finish(): Promise<void> {
    await this.#host.queue.run(() => this.#writeBuffer());
    this.close();
  }

  /** What is held stays: it follows what was lost without a hole of its own. */
  break(wantsBytes = 0): void {
    if (this.#state.name === 'closed') return;
    this.#state = { name: 'broken', wantsBytes };
    this.#events.broken();
  }

  /** A snapshot at `offset` is in place. If output is missing even after it, another must follow. */
  mend(offset: number): void {
    if (this.#state.name === 'broken' && this.#buffer.start <= offset) this.#state = { name: 'following' };
  }

  close(): void {
    this.#buffer.clear(this.#buffer.end);
    this.#state = { name: 'closed' };
  }

  /** There is no room in memory for what was printed up to `end`. */
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

  /** Nothing is journalled for a session whose metadata is not on disk: it could not be brought back. */
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
