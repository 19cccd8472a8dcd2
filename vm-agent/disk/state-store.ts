/**
 * The state directory, which keeps sessions across restarts of the agent.
 *
 *   lock-<n>             names the agent that uses the directory; see directory-lock.ts
 *   sessions/<id>/       one session; see session-files.ts
 *   corrupt/             what could not be read after a restart; see quarantine.ts
 *
 * Output is written every FLUSH_MS. From then on it survives a crash of the agent. It survives a crash of the machine
 * once the disk has confirmed it; files are synced one after the other, in parallel with writing.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DirectoryLock, lockDirectory, StateDirectoryError } from '../../node/directory-lock.ts';
import { makePrivateDirectory } from '../../node/private-files.ts';
import type { Cancel, Clock } from '../../protocol/clock.ts';
import { loadSession } from './load-session.ts';
import { MemoryBudget } from './memory-budget.ts';
import type { SessionMetadata } from './metadata.ts';
import { Quarantine } from './quarantine.ts';
import { returnLimit, toDrop, toSnapshot, type Usage } from './quota.ts';
import type { RecoveredSession } from './recovery.ts';
import { REMOVED_SUFFIX } from './session-files.ts';
import type { SessionHost } from './session-host.ts';
import { type SessionStart, StoredSession } from './stored-session.ts';
import { Troubles } from './troubles.ts';
import type { Warn } from './warning.ts';
import { WorkQueue } from './work-queue.ts';

/** Including the time of a write, a crash loses about half a second of output. */
export const FLUSH_MS = 500;

/** Limit on the unwritten output of all sessions together. */
export const MEMORY_MAX_BYTES = 16 * 1024 * 1024;

const ID = /^[A-Za-z0-9_-]{1,64}$/;

interface StateStoreOptions {
  readonly quotaBytes: number;
  readonly clock: Clock;
  readonly warn: Warn;
  /** How long another agent may take to release the directory. */
  readonly lockWithinMs?: number;
}

/** An agent that ends releases the directory within milliseconds. */
const LOCK_RETRY_MS = 50;

function patienceOf({ clock, lockWithinMs = 0 }: StateStoreOptions): () => Promise<boolean> {
  const deadline = clock.now() + lockWithinMs;
  return async () => {
    if (clock.now() >= deadline) return false;
    await new Promise<void>((resolve) => void clock.after(LOCK_RETRY_MS, resolve));
    return true;
  };
}

export class StateStore {
  readonly #sessionsDir: string;
  readonly #options: StateStoreOptions;
  readonly #lock: DirectoryLock;
  readonly #quarantine: Quarantine;
  readonly #sessions = new Map<string, StoredSession>();
  /** Sessions found at startup and not yet claimed by `session`. */
  readonly #unclaimed = new Set<string>();
  readonly #queue = new WorkQueue();
  readonly #host: SessionHost;
  #timer: Cancel | null = null;
  #isSyncing = false;

  private constructor(dir: string, options: StateStoreOptions, lock: DirectoryLock, quarantine: Quarantine) {
    this.#sessionsDir = join(dir, 'sessions');
    this.#options = options;
    this.#lock = lock;
    this.#quarantine = quarantine;
    const troubles = new Troubles(dir, options.warn);
    this.#host = {
      clock: options.clock,
      queue: this.#queue,
      budget: new MemoryBudget(MEMORY_MAX_BYTES),
      tally: { bytes: 0 },
      wake: () => this.#wake(),
      fits: (bytes) => this.#excess(bytes) <= 0,
      mayReturn: (bytes) => this.usedBytes + bytes <= returnLimit(options.quotaBytes),
      makeRoom: (bytes, id, mayDrop) => this.#makeRoom(bytes, id, mayDrop === 'any'),
      failing: (id, why) => troubles.failing(id, why),
      working: (id) => troubles.working(id),
      removed: (session) => {
        if (this.#sessions.get(session.id) !== session) return;
        this.#sessions.delete(session.id);
        troubles.working(session.id);
      },
    };
  }

  /** Throws a StateDirectoryError if the directory cannot be used, or if another agent uses it. */
  static async open(
    dir: string,
    options: StateStoreOptions,
  ): Promise<{ readonly store: StateStore; readonly recovered: readonly RecoveredSession[] }> {
    try {
      await makePrivateDirectory(dir);
      const lock = await lockDirectory(dir, patienceOf(options));
      try {
        const store = new StateStore(
          dir,
          options,
          lock,
          await Quarantine.open(join(dir, 'corrupt'), options.warn),
        );
        return { store, recovered: await store.#load() };
      } catch (error) {
        await lock.release();
        throw error;
      }
    } catch (error) {
      if (error instanceof StateDirectoryError) throw error;
      throw new StateDirectoryError(
        `The state directory ${dir} cannot be used: ${(error as Error).message}.`,
      );
    }
  }

  /** Size of everything in the directory. */
  get usedBytes(): number {
    return this.#host.tally.bytes + this.#quarantine.usedBytes;
  }

  /** Bytes of output in memory that are not on disk yet. */
  get heldBytes(): number {
    return this.#host.budget.heldBytes;
  }

  /** Starts storing a session, or continues a recovered one. */
  session(id: string, metadata: SessionMetadata, start: SessionStart): StoredSession {
    if (!ID.test(id)) throw new Error(`invariant: ${JSON.stringify(id)} is no name for a directory`);
    const known = this.#sessions.get(id);
    if (known !== undefined && !this.#unclaimed.delete(id)) {
      throw new Error(`invariant: session ${id} is kept already`);
    }
    const session = known ?? new StoredSession(this.#host, id, join(this.#sessionsDir, id), metadata);
    this.#sessions.set(id, session);
    session.adopt(metadata, start);
    return session;
  }

  /** Deletes a recovered session that will not be revived. */
  async discard(id: string): Promise<void> {
    if (this.#unclaimed.delete(id)) await this.#sessions.get(id)?.remove();
  }

  /** Resolves when nothing is being written. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /** Writes everything held and releases the lock. */
  async close(): Promise<void> {
    this.#stopTicking();
    await this.settled();
    for (const session of this.#sessions.values()) await session.finish();
    this.#stopTicking(); // writing the last metadata has started it again
    await this.#lock.release();
  }

  async #load(): Promise<RecoveredSession[]> {
    await makePrivateDirectory(this.#sessionsDir);
    const recovered: RecoveredSession[] = [];
    for (const name of await readdir(this.#sessionsDir)) {
      const path = join(this.#sessionsDir, name);
      if (name.endsWith(REMOVED_SUFFIX)) await rm(path, { recursive: true, force: true });
      if (!ID.test(name)) continue;
      try {
        const loaded = await loadSession(path, name, this.#quarantine);
        if (loaded === null) continue;
        this.#sessions.set(name, new StoredSession(this.#host, name, path, loaded));
        this.#unclaimed.add(name);
        recovered.push(loaded.recovered);
      } catch (error) {
        const message = `The saved session in ${path} cannot be read: ${(error as Error).message}.`;
        this.#options.warn({ code: 'unreadable', message });
      }
    }
    // The quota may be smaller than last time.
    await this.#queue.run(() => this.#makeRoom(0, '', true));
    return recovered.sort(
      (a, b) =>
        a.metadata.place - b.metadata.place || a.metadata.createdAt.localeCompare(b.metadata.createdAt),
    );
  }

  #wake(): void {
    this.#timer ??= this.#options.clock.after(FLUSH_MS, () => this.#tick());
  }

  #stopTicking(): void {
    this.#timer?.();
    this.#timer = null;
  }

  #tick(): void {
    this.#timer = null;
    const pressed = toSnapshot(this.#usages(), this.usedBytes, this.#options.quotaBytes);
    for (const session of this.#sessions.values()) session.tick(pressed.includes(session.id));
    this.#queue.track(this.#sync());
    if ([...this.#sessions.values()].some((session) => !session.isIdle)) this.#wake();
  }

  /** Syncs one journal at a time, so as not to use up the thread pool that also reads files. */
  async #sync(): Promise<void> {
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    await this.#queue.run(async () => {});
    for (const session of [...this.#sessions.values()]) await session.sync();
    this.#isSyncing = false;
  }

  /** By how much `bytes` more would exceed the quota. */
  #excess(bytes: number): number {
    return this.usedBytes + bytes - this.#options.quotaBytes;
  }

  #usages(): Usage[] {
    return [...this.#sessions.values()].map((session) => session.usage);
  }

  async #makeRoom(bytes: number, id: string, mayDropRunning: boolean): Promise<boolean> {
    if (this.#excess(bytes) > 0) await this.#quarantine.clear();
    const excess = this.#excess(bytes);
    if (excess <= 0) return true;
    const others = this.#usages().filter((usage) => usage.id !== id);
    const chosen = toDrop(others, excess, mayDropRunning);
    if (chosen === null) return false;
    for (const other of chosen) await this.#sessions.get(other)?.drop();
    const { quotaBytes, warn } = this.#options;
    const message = `To stay within ${quotaBytes} bytes, the saved screens of these sessions were deleted: ${chosen.join(', ')}.`;
    warn({ code: 'dropped', message });
    return this.#excess(bytes) <= 0;
  }
}
