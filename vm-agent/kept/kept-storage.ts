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

/** In a flood, the screen is left this often. Without its history that takes a millisecond. */
export const FLOOD_CHECKPOINT_BYTES = 2 * 1024 * 1024;

/** A session that has printed nothing for this long is quiet: its whole history can be drawn. */
export const QUIET_MS = 500;

/** How often the commands are left while a session prints. */
export const LOOK_MS = 200;

/** Less than the keeper takes, because metadata and commands need room too. */
export const CHECKPOINT_MAX_BYTES = 768 * 1024;

type Blobs = Pick<KeeperLink, 'putBlob' | 'retain'>;

/** Stores with the keeper, and wherever `inner` stores. */
export function keepInKeeper(keeper: Blobs, clock: Clock, inner: Keep): Keep {
  return (session) => new KeptStorage(keeper, clock, session, inner(session));
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
  #isTaking = false;
  #look: Cancel | undefined;

  constructor(keeper: Blobs, clock: Clock, session: KeptSession, inner: SessionStorage) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#session = session;
    this.#inner = inner;
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
    if (this.#end - this.#askedAt >= FLOOD_CHECKPOINT_BYTES) void this.#take(['screen']);
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

  leave(what: string, text: string): void {
    this.#keeper.putBlob(this.#session.handle, what, Buffer.from(text));
  }

  remove(): void {
    this.#look?.();
    this.#inner.remove();
  }

  #looked(): void {
    this.#look = undefined;
    this.#leaveCommands();
    const quietMs = this.#clock.now() - this.#printedAt;
    if (quietMs < QUIET_MS) this.#look = this.#clock.after(LOOK_MS, () => this.#looked());
    else if (this.#end - this.#checkpointAt >= QUIET_CHECKPOINT_BYTES)
      void this.#take(['all', 'recent', 'screen']);
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
  async #take(scopes: readonly ('all' | 'recent' | 'screen')[]): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    this.#askedAt = this.#end;
    const taken = await this.#takeFitting(scopes);
    this.#isTaking = false;
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
