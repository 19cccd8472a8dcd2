/**
 * Stores one session on disk: its metadata, a snapshot from time to time, and a journal of the output since.
 *
 * Nothing here blocks the caller or throws: a terminal works the same whatever its disk does.
 */
import type { Size } from '../../protocol/frame.ts';
import type { LoadedSession } from './load-session.ts';
import { encodeMetadata, type SessionMetadata } from './metadata.ts';
import { OutputJournal } from './output-journal.ts';
import type { Usage } from './quota.ts';
import { SessionFiles } from './session-files.ts';
import type { SessionHost } from './session-host.ts';
import type { KeptCommands } from './session-storage.ts';
import { encodeSnapshot, type StoredSnapshot } from './snapshot-file.ts';
import { SnapshotSchedule } from './snapshot-schedule.ts';
import { UnsavedCommands } from './unsaved-commands.ts';
import { UnsavedMetadata } from './unsaved-metadata.ts';
import { OneAtATime } from './work-queue.ts';

const OVER_QUOTA = 'the quota is used up';
const TOO_SLOW = 'the disk is too slow';

export interface SessionStart {
  /** Offset of the next byte the session prints: 0, or where a recovered session ended. */
  readonly from: number;
  /** Asks the caller to pass the session's screen to `writeSnapshot` soon. */
  readonly snapshotNeeded: () => void;
  /** The program's current working directory; null if unknown. Called after output. */
  readonly cwd?: () => string | null;
  readonly commands?: KeptCommands;
}

export class StoredSession {
  readonly id: string;
  readonly #host: SessionHost;
  readonly #files: SessionFiles;
  readonly #journal: OutputJournal;
  readonly #metadata: UnsavedMetadata;
  readonly #schedule: SnapshotSchedule;
  /** What is being replaced. Each kind waits only for itself. */
  readonly #replacing = new OneAtATime<'metadata' | 'snapshot'>();
  #snapshotNeeded: () => void = () => {};
  #cwd: () => string | null = () => null;
  /** Whether output arrived since the directory was last checked: the program may have changed it. */
  #mayHaveMoved = false;
  #commands: UnsavedCommands | null = null;
  #writtenAt: number;

  constructor(host: SessionHost, id: string, dir: string, found: LoadedSession | SessionMetadata) {
    const loaded = 'recovered' in found ? found : null;
    const now = host.clock.now();
    this.id = id;
    this.#host = host;
    this.#files = new SessionFiles(dir, host.tally, loaded);
    this.#journal = new OutputJournal(host, id, this.#files, loaded?.recovered.end ?? 0, {
      grown: () => this.#grown(),
      broken: () => this.#broken(),
      refused: (why) => this.#refuse(this.#schedule, why),
      tooSlow: () => host.failing(id, TOO_SLOW),
    });
    const metadata = 'recovered' in found ? found.recovered.metadata : found;
    this.#metadata = new UnsavedMetadata(metadata, loaded !== null);
    this.#schedule = new SnapshotSchedule(now, loaded?.recovered.snapshot?.offset ?? 0);
    this.#writtenAt = loaded === null ? now : now - (Date.now() - loaded.recovered.savedAt.getTime());
  }

  // ── Called by the running session ────────────────────────────────────────────────────────────────

  /** Stores what the program printed at `offset`. `bytes` may be reused after the call. */
  append(offset: number, bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#journal.append(offset, bytes);
    this.#mayHaveMoved = true;
    this.#host.wake();
  }

  /** The terminal has this size from `offset` on. */
  resized(offset: number, size: Size): void {
    if (this.#isClosed) return;
    this.#journal.resized(offset, size);
    this.updateMetadata({ size });
  }

  updateMetadata(changes: Partial<SessionMetadata>): void {
    if (this.#isClosed) return;
    this.#metadata.update(changes);
    this.#host.wake();
  }

  /** False if it was not written: the disk refused, or the previous snapshot is still being written. */
  async writeSnapshot(snapshot: StoredSnapshot): Promise<boolean> {
    if (this.#isClosed) return false;
    return (await this.#replacing.run('snapshot', () => this.#replaceSnapshot(snapshot))) ?? false;
  }

  /**
   * The requested snapshot is not available. The files on disk stay, and the journal continues them as long as it can.
   */
  hasNoSnapshot(why: string): void {
    if (this.#journal.state.name === 'broken') this.#host.failing(this.id, why);
  }

  /** Deletes everything stored. What the disk refuses to delete comes back after a restart. */
  async remove(): Promise<void> {
    this.#journal.close();
    this.#host.removed(this);
    await this.#host.queue.run(() => this.#files.remove()).catch(() => {});
  }

  // ── Called by the store ──────────────────────────────────────────────────────────────────────────

  /** The session runs (again), and its next byte has the offset `from`. */
  adopt(metadata: SessionMetadata, { from, snapshotNeeded, cwd = () => null, commands }: SessionStart): void {
    this.#snapshotNeeded = snapshotNeeded;
    this.#cwd = cwd;
    this.#commands = commands === undefined ? null : new UnsavedCommands(commands);
    this.#journal.expect(from);
    this.updateMetadata(metadata);
    if (!this.#files.hasMetadata) this.#saveMetadata();
  }

  get usage(): Usage {
    return {
      id: this.id,
      journalBytes: this.#files.journalBytes,
      droppableBytes: this.#files.droppableBytes,
      exited: this.#metadata.value.exit !== null,
      writtenAt: this.#writtenAt,
      snapshotAt: this.#schedule.writtenAt,
    };
  }

  /** Whether there is nothing to do until the next call. */
  get isIdle(): boolean {
    const { state, heldBytes, end } = this.#journal;
    if (state.name !== 'following') return state.name === 'closed';
    const isSaved = this.#metadata.isSaved && this.#commands?.isNoted !== false;
    return heldBytes === 0 && isSaved && !this.#schedule.isBehind(end);
  }

  tick(pressed: boolean): void {
    if (this.#isClosed) return;
    this.#noteDirectory();
    if (this.#commands?.isDue(this.#host.clock.now())) this.#noteCommands(false);
    if (this.#metadata.isDue(this.#host.clock.now())) this.#saveMetadata();
    this.#journal.flush();
    this.#ask(pressed);
  }

  /** Frees the session's space for others; its metadata stays. Runs in the queue. */
  async drop(): Promise<void> {
    const { droppableBytes } = this.#files;
    await this.#files.drop();
    this.#journal.break(droppableBytes);
  }

  /** Makes written data survive a power failure. Never throws. */
  async sync(): Promise<void> {
    try {
      await this.#files.sync();
    } catch (error) {
      this.#refuse(this.#schedule, (error as Error).message);
      this.#journal.break();
    }
  }

  /** Writes everything held and stops. Never throws. */
  async finish(): Promise<void> {
    this.#mayHaveMoved = true;
    this.#noteDirectory();
    this.#noteCommands(true);
    if (!this.#metadata.isSaved) await this.#replacing.run('metadata', () => this.#replaceMetadata());
    await this.#journal.finish();
    await this.sync();
    await this.#host.queue.run(() => this.#files.endSegment()).catch(() => {});
  }

  // ── Snapshots ────────────────────────────────────────────────────────────────────────────────────

  #grown(): void {
    this.#writtenAt = this.#host.clock.now();
    this.#ask(false);
  }

  /** Asks soon, but not from within `append`, because the callee may call back. */
  #broken(): void {
    this.#host.wake();
    queueMicrotask(() => this.#ask(false));
  }

  #ask(pressed: boolean): void {
    const { state, end } = this.#journal;
    const { journalBytes, droppableBytes } = this.#files;
    if (state.name === 'closed') return;
    const isBroken = state.name === 'broken';
    const wantsBytes = isBroken ? state.wantsBytes - droppableBytes : 0;
    if (wantsBytes > 0 && !this.#host.mayReturn(wantsBytes)) return;
    if (!this.#schedule.isDue(this.#host.clock.now(), { journalBytes, end, isBroken, isPressed: pressed }))
      return;
    this.#schedule.asked(this.#host.clock.now());
    this.#snapshotNeeded();
  }

  async #replaceSnapshot(snapshot: StoredSnapshot): Promise<boolean> {
    let continues: number;
    const content = async () => {
      const isBroken = this.#journal.state.name === 'broken';
      await this.#files.endSegment();
      continues = this.#files.continuation(isBroken ? null : snapshot.offset);
      const bytes = encodeSnapshot({ ...snapshot, continues });
      return (await this.#roomForSnapshot(bytes.length, continues)) ? bytes : null;
    };
    const placed = async () => {
      this.#schedule.written(this.#host.clock.now(), snapshot.offset);
      await this.#files.cutJournal(continues);
      this.#journal.mend(snapshot.offset);
      this.#tellIfWorking();
    };
    try {
      return await this.#files.replace('snapshot', this.#host.queue, content, placed);
    } catch (error) {
      this.#refuse(this.#schedule, (error as Error).message);
      return false;
    }
  }

  /** Deletes the obsolete journal first if space is short: only a crash within the next moment would need it. */
  async #roomForSnapshot(bytes: number, continues: number): Promise<boolean> {
    if (!this.#host.fits(bytes)) await this.#files.cutJournal(continues);
    if (await this.#host.makeRoom(bytes, this.id, 'any')) return true;
    this.#refuse(this.#schedule, OVER_QUOTA);
    this.#journal.break(bytes);
    return false;
  }

  // ── Metadata ─────────────────────────────────────────────────────────────────────────────────────

  /** A shell that changes its directory prints a prompt, so the directory is checked after output. */
  #noteDirectory(): void {
    if (!this.#mayHaveMoved) return;
    this.#mayHaveMoved = false;
    const cwd = this.#cwd();
    if (cwd !== null && cwd !== this.#metadata.value.cwd) this.updateMetadata({ cwd });
  }

  #noteCommands(isLast: boolean): void {
    const commands = this.#commands?.note(this.#host.clock.now(), isLast);
    if (commands !== undefined) this.updateMetadata({ commands });
  }

  #saveMetadata(): void {
    this.#host.queue.track(this.#replacing.run('metadata', () => this.#replaceMetadata()));
  }

  async #replaceMetadata(): Promise<void> {
    const { value, version } = this.#metadata;
    const content = async () => {
      const bytes = encodeMetadata(value);
      if (await this.#host.makeRoom(bytes.length, this.id, 'any')) return bytes;
      this.#refuse(this.#metadata, OVER_QUOTA);
      return null;
    };
    const placed = async () => {
      this.#metadata.saved(version);
      this.#tellIfWorking();
    };
    try {
      await this.#files.replace('metadata', this.#host.queue, content, placed);
    } catch (error) {
      this.#refuse(this.#metadata, (error as Error).message);
    }
  }

  #refuse(what: SnapshotSchedule | UnsavedMetadata, why: string): void {
    what.refused(this.#host.clock.now());
    this.#host.failing(this.id, why);
    this.#host.wake();
  }

  #tellIfWorking(): void {
    const isFailing = this.#schedule.isFailing || this.#metadata.isFailing;
    if (this.#journal.state.name === 'following' && !isFailing) this.#host.working(this.id);
  }

  get #isClosed(): boolean {
    return this.#journal.state.name === 'closed';
  }
}
