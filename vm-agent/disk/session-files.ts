/**
 * Manages the files of one session and counts their bytes. Every method except `replace` and `sync` runs in the store's
 * work queue.
 *
 *   <id>/metadata.json   replaced as a whole
 *   <id>/snapshot        replaced as a whole
 *   <id>/journal-<n>     appended to; see journal-file.ts
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateDirectory, type StagedFile, stageFile } from '../../node/private-files.ts';
import type { Batch } from './journal-buffer.ts';
import { JournalFile } from './journal-file.ts';
import { type LoadedSession, METADATA_NAME, SNAPSHOT_NAME } from './load-session.ts';
import type { Tally } from './session-host.ts';
import type { WorkQueue } from './work-queue.ts';

/** Marks a session's directory that is being deleted. */
export const REMOVED_SUFFIX = '.removed';

type Part = 'metadata' | 'snapshot';

const NAMES: Readonly<Record<Part, string>> = { metadata: METADATA_NAME, snapshot: SNAPSHOT_NAME };

export class SessionFiles {
  readonly #dir: string;
  readonly #tally: Tally;
  readonly #journal: JournalFile;
  readonly #bytes: Record<Part | 'staged', number>;
  #counted = 0;
  #removed = false;

  constructor(dir: string, tally: Tally, loaded: LoadedSession | null) {
    this.#dir = dir;
    this.#tally = tally;
    this.#journal = new JournalFile(dir, loaded ?? { segments: [], nextNumber: 0 });
    this.#bytes = {
      metadata: loaded?.metadataBytes ?? 0,
      snapshot: loaded?.snapshotBytes ?? 0,
      staged: 0,
    };
    this.#count();
  }

  get hasMetadata(): boolean {
    return this.#bytes.metadata > 0;
  }

  get journalBytes(): number {
    return this.#journal.byteLength;
  }

  /** How many bytes `drop` would free. */
  get droppableBytes(): number {
    return this.#bytes.snapshot + this.#journal.byteLength;
  }

  cost(batch: Batch): number {
    return this.#journal.cost(batch);
  }

  append(batch: Batch): Promise<void> {
    return this.#counting(() => this.#journal.append(batch));
  }

  /** Ends the current segment, so that a snapshot can replace it. */
  endSegment(): Promise<void> {
    return this.#journal.rotate();
  }

  /** The first segment needed after a snapshot at `offset`; with `null`, no existing segment is needed. */
  continuation(offset: number | null): number {
    return offset === null ? this.#journal.nextNumber : this.#journal.continuation(offset);
  }

  cutJournal(before: number): Promise<void> {
    return this.#counting(() => this.#journal.cut(before));
  }

  /**
   * Replaces a file as a whole. Writing it and moving it into place run in the queue. The sync in between does not,
   * because it may take long. `content` is built in the first step, and null cancels; `placed` belongs to the second
   * step. Throws the disk's errors.
   */
  async replace(
    part: Part,
    queue: WorkQueue,
    content: () => Promise<Uint8Array | null>,
    placed: () => Promise<void>,
  ): Promise<boolean> {
    const staged = await queue.run(async () => {
      const bytes = await content();
      return bytes === null ? null : this.#stage(part, bytes);
    });
    if (staged === null) return false;
    try {
      await staged.sync();
    } catch (error) {
      await queue.run(() => this.#discard(staged));
      throw error;
    }
    return queue.run(async () => {
      if (this.#removed) {
        await this.#discard(staged);
        return false;
      }
      await this.#commit(part, staged);
      await placed();
      return true;
    });
  }

  /** Deletes screen and journal; the session would be restored with an empty screen. */
  drop(): Promise<void> {
    return this.#counting(async () => {
      await this.#journal.rotate();
      await this.#journal.cut(this.#journal.nextNumber);
      await rm(join(this.#dir, SNAPSHOT_NAME), { force: true });
      this.#bytes.snapshot = 0;
    });
  }

  /** Deletes everything. The directory is renamed first, so that a crash leaves all of it or nothing. */
  remove(): Promise<void> {
    const trash = `${this.#dir}${REMOVED_SUFFIX}`;
    return this.#counting(async () => {
      this.#removed = true;
      await this.#journal.rotate();
      await rename(this.#dir, trash).catch(() => {});
      await rm(trash, { recursive: true, force: true });
      await rm(this.#dir, { recursive: true, force: true });
      await this.#journal.cut(this.#journal.nextNumber);
      this.#bytes.metadata = 0;
      this.#bytes.snapshot = 0;
    });
  }

  sync(): Promise<void> {
    return this.#journal.sync();
  }

  #stage(part: Part, content: Uint8Array): Promise<StagedFile> {
    return this.#counting(async () => {
      await makePrivateDirectory(this.#dir);
      const staged = await stageFile(join(this.#dir, NAMES[part]), content);
      this.#bytes.staged += content.length;
      return staged;
    });
  }

  #commit(part: Part, staged: StagedFile): Promise<void> {
    return this.#counting(async () => {
      this.#bytes.staged -= staged.byteLength;
      await staged.commit();
      this.#bytes[part] = staged.byteLength;
    });
  }

  #discard(staged: StagedFile): Promise<void> {
    return this.#counting(async () => {
      this.#bytes.staged -= staged.byteLength;
      await staged.discard();
    });
  }

  async #counting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#count();
    }
  }

  #count(): void {
    const { metadata, snapshot, staged } = this.#bytes;
    const bytes = metadata + snapshot + staged + this.#journal.byteLength;
    this.#tally.bytes += bytes - this.#counted;
    this.#counted = bytes;
  }
}
