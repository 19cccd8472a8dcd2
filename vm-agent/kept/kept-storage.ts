/**
 * Leaves with the keeper what the next agent process needs to continue a session: its metadata, its commands, and now
 * and then its screen, so that the keeper need not keep all output since the session began.
 */
import type { Cancel, Clock } from '../../protocol/clock.ts';
import type { Size } from '../../protocol/frame.ts';
import { encodeMetadata, type SessionMetadata } from '../disk/metadata.ts';
import type { Keep, KeptSession, SessionStorage } from '../disk/session-storage.ts';
import type { Snapshot } from '../screen/snapshot.ts';
import { encodeCheckpoint } from './checkpoint.ts';
import type { KeeperLink } from './keeper-link.ts';

/** Parsing this much takes a few tens of milliseconds; a session at its prompt rarely prints as much. */
export const QUIET_CHECKPOINT_BYTES = 64 * 1024;

/**
 * In a flood, the screen is left this often. Without its history that takes a millisecond. The screen may be 8 MiB behind,
 * and the keeper keeps 10 MiB for the next process.
 */
export const FLOOD_CHECKPOINT_BYTES = 1024 * 1024;

/** A session that has printed nothing for this long is quiet: its whole history can be drawn. */
export const QUIET_MS = 500;

/** How often the commands are left while a session prints. */
export const LOOK_MS = 200;

/**
 * How long a process that is asked to leave may take for its last checkpoints. A full queue is drained in half of that on
 * an idle machine, and the keeper waits for twice as long.
 */
export const LEAVE_MAX_MS = 1_000;

/** Less than the keeper takes, because metadata and commands need room too. */
export const CHECKPOINT_MAX_BYTES = 768 * 1024;

type Blobs = Pick<KeeperLink, 'putBlob' | 'retain'>;
type Keeper = Blobs & Pick<KeeperLink, 'flushed'>;

/** Stores with the keeper, and wherever `inner` stores. */
export class KeeperStorage {
  readonly #keeper: Keeper;
  readonly #clock: Clock;
  readonly #inner: Keep;
  readonly #storages = new Set<KeptStorage>();

  constructor(keeper: Keeper, clock: Clock, inner: Keep) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#inner = inner;
  }

  readonly keep: Keep = (session) => {
    const removed = () => this.#storages.delete(storage);
    const storage = new KeptStorage({
      keeper: this.#keeper,
      clock: this.#clock,
      session,
      inner: this.#inner(session),
      removed,
    });
    this.#storages.add(storage);
    return storage;
  };

  /**
   * Another process takes over when this resolves, which is soon. Every screen is left as it is by then, so that the
   * other has little to draw. Programs go on meanwhile.
   */
  async leave(): Promise<void> {
    const left = Promise.all([...this.#storages].map((storage) => storage.leave()));
    let stop: Cancel = () => {};
    const late = new Promise<void>((resolve) => {
      stop = this.#clock.after(LEAVE_MAX_MS, resolve);
    });
    await Promise.race([left.then(() => this.#keeper.flushed()), late]);
    stop();
  }
}

interface KeptStorageOptions {
  readonly keeper: Blobs;
  readonly clock: Clock;
  readonly session: KeptSession;
  readonly inner: SessionStorage;
  readonly removed: () => void;
}

class KeptStorage implements SessionStorage {
  readonly #keeper: Blobs;
  readonly #clock: Clock;
  readonly #session: KeptSession;
  readonly #inner: SessionStorage;
  #metadata: SessionMetadata;
  /** Offset after the last byte printed. */
  #end: number;
  /** Output before this offset is not needed to draw the screen. */
  #checkpointAt: number;
  /** Where the last one was asked for. The screen may be far behind, and is not asked again because of that. */
  #askedAt: number;
  #printedAt = 0;
  #commandsVersion = -1;
  /** While one is being taken. */
  #taking: Promise<void> | undefined;
  #look: Cancel | undefined;
  readonly #removed: () => void;

  constructor({ keeper, clock, session, inner, removed }: KeptStorageOptions) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#session = session;
    this.#inner = inner;
    this.#removed = removed;
    this.#metadata = session.metadata;
    this.#end = session.from;
    this.#checkpointAt = session.checkpointAt ?? session.from;
    this.#askedAt = this.#checkpointAt;
    this.#leaveMetadata();
  }

  append(offset: number, bytes: Uint8Array): void {
    this.#inner.append(offset, bytes);
    this.#end = offset + bytes.length;
    this.#printedAt = this.#clock.now();
    if (this.#end - this.#askedAt >= FLOOD_CHECKPOINT_BYTES) void this.#takeUnlessTaking(['screen']);
    this.#look ??= this.#clock.after(LOOK_MS, () => this.#looked());
  }

  resized(offset: number, size: Size): void {
    this.#inner.resized(offset, size);
    this.#metadata = { ...this.#metadata, size };
    this.#leaveMetadata();
  }

  update(changes: Partial<SessionMetadata>): void {
    this.#inner.update(changes);
    this.#metadata = { ...this.#metadata, ...changes };
    this.#leaveMetadata();
  }

  put(what: string, bytes: Uint8Array): void {
    this.#keeper.putBlob(this.#session.handle, what, bytes);
  }

  remove(): void {
    this.#look?.();
    this.#inner.remove();
    this.#removed();
  }

  async leave(): Promise<void> {
    if (this.#end - this.#checkpointAt < QUIET_CHECKPOINT_BYTES) return;
    await this.#session.drain();
    while (this.#taking !== undefined) await this.#taking;
    await this.#takeUnlessTaking(['all', 'recent', 'screen']);
  }

  #looked(): void {
    this.#look = undefined;
    this.#leaveCommands();
    const quietMs = this.#clock.now() - this.#printedAt;
    if (quietMs < QUIET_MS) this.#look = this.#clock.after(LOOK_MS, () => this.#looked());
    else if (this.#end - this.#checkpointAt >= QUIET_CHECKPOINT_BYTES)
      void this.#takeUnlessTaking(['all', 'recent', 'screen']);
  }

  #leaveMetadata(): void {
    this.#keeper.putBlob(this.#session.handle, 'metadata', encodeMetadata(this.#metadata));
  }

  #leaveCommands(): void {
    const { commands, handle, savedCommands } = this.#session;
    if (savedCommands === undefined || commands.version === this.#commandsVersion) return;
    this.#commandsVersion = commands.version;
    this.#keeper.putBlob(handle, 'commands', Buffer.from(JSON.stringify(savedCommands())));
  }

  /** Leaves the screen with as much history as fits, of the given scopes. */
  async #takeUnlessTaking(scopes: readonly ('all' | 'recent' | 'screen')[]): Promise<void> {
    if (this.#taking !== undefined) return;
    this.#askedAt = this.#end;
    this.#taking = this.#take(scopes);
    await this.#taking;
  }

  async #take(scopes: readonly ('all' | 'recent' | 'screen')[]): Promise<void> {
    const taken = await this.#takeFitting(scopes);
    this.#taking = undefined;
    if (taken !== undefined)
      this.#keeper.putBlob(this.#session.handle, 'checkpoint', encodeCheckpoint(taken));
    // A screen that cannot be drawn is drawn from the last output, as after a crash of its thread.
    this.#checkpointAt = taken?.offset ?? this.#end;
    this.#keeper.retain(this.#session.handle, this.#checkpointAt);
  }

  async #takeFitting(scopes: readonly ('all' | 'recent' | 'screen')[]): Promise<Snapshot | undefined> {
    for (const scope of scopes) {
      const taken = await this.#session.snapshot(scope);
      if (taken === undefined) return undefined;
      if (taken !== 'too large' && taken.deflated.length <= CHECKPOINT_MAX_BYTES) return taken;
    }
    return undefined;
  }
}
