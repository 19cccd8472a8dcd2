/**
 * The sessions of this agent's life: made, kept while somebody may come back, and forgotten. Global to the process;
 * a connection only tracks what it attached.
 */
import type { Clock } from '../../protocol/clock.ts';
import { Refusal } from '../../protocol/errors.ts';
import type { CloseReason } from '../../protocol/messages.ts';
import { printable } from '../../protocol/printable.ts';
import type { Keep } from '../disk/session-storage.ts';
import type { CreditWindow } from '../output/credit-window.ts';
import { CreditWindows, type WindowOwner } from '../output/credit-windows.ts';
import type { OpenScreen } from '../output/session-output.ts';
import type { SnapshotName } from '../output/unproven-bytes.ts';
import type { SpawnPty } from '../pty/pty.ts';
import { newHandle, newId } from './ids.ts';
import { PacedNews } from './paced-news.ts';
import { Session } from './session.ts';
import type { SessionEvents } from './session-events.ts';
import { type ExpiryLimits, SessionExpiry } from './session-expiry.ts';
import { SessionIndex } from './session-index.ts';
import { programOf, type SessionDefaults, type SessionRequest } from './session-request.ts';

/** How long and how many. */
export interface SessionLimits extends ExpiryLimits {
  readonly historyBytes: number;
  readonly maxSessions: number;
  readonly whenFull: 'refuse' | 'evict-oldest-orphan';
}

export interface ManagerEvents extends Omit<SessionEvents<Session>, 'audienceChanged'> {
  /** Something of the session's description is different. */
  changed(session: Session): void;
  removed(session: Session, reason: CloseReason): void;
  /** Who is connected? The answer goes to `presenceAnswered`. */
  askPresence(question: string): void;
}

export interface ManagerOptions {
  readonly spawn: SpawnPty;
  readonly openScreen: OpenScreen;
  /** Keeps what outlives this process. */
  readonly keep: Keep;
  readonly clock: Clock;
  readonly limits: SessionLimits;
  readonly defaults: SessionDefaults;
  readonly events: ManagerEvents;
}

interface SessionCounts {
  readonly running: number;
  /** Among the running. */
  readonly orphaned: number;
  readonly exited: number;
}

export class SessionManager {
  readonly epoch = newId();
  readonly #options: ManagerOptions;
  readonly #sessions = new SessionIndex();
  readonly #windows = new CreditWindows();
  readonly #expiry: SessionExpiry;
  readonly #sessionEvents: SessionEvents<Session>;
  /** Of who comes and goes. */
  readonly #audienceNews: PacedNews<Session>;
  /** On their way out, and why; removed when their program has ended. */
  readonly #closing = new Map<Session, CloseReason>();
  readonly #removals: Record<CloseReason, number> = {
    closed: 0,
    orphan_expired: 0,
    idle: 0,
    exited_expired: 0,
    evicted: 0,
  };
  /** The next session's place among the others. */
  #places = 0;
  /** Sessions of which something may be left that has yet to be signalled. */
  #endings = 0;
  #whenDrained: () => void = () => {};

  constructor(options: ManagerOptions) {
    const { clock, events, limits } = options;
    this.#options = options;
    this.#expiry = new SessionExpiry({
      clock,
      limits,
      ask: events.askPresence,
      end: (id, reason) => this.close(this.find(id), reason),
    });
    this.#audienceNews = new PacedNews(clock, (session) => events.changed(session));
    this.#sessionEvents = {
      ...events,
      audienceChanged: (session, role) => {
        if (role === 'operator') this.#expiry.settle(session);
        this.#audienceNews.changed(session);
      },
      exited: (session, offset) => this.#exited(session, offset),
    };
  }

  list(): Session[] {
    return this.#sessions.list();
  }

  counts(): SessionCounts {
    const running = this.list().filter(({ exit }) => exit === null);
    const orphaned = running.filter(({ operators }) => operators === 0).length;
    return { running: running.length, orphaned, exited: this.#sessions.size - running.length };
  }

  /** How many sessions were removed so far, by reason. */
  get removals(): Readonly<Record<CloseReason, number>> {
    return this.#removals;
  }

  find(id: string): Session {
    return this.#sessions.find(id);
  }

  findByHandle(handle: number): Session | undefined {
    return this.#sessions.findByHandle(handle);
  }

  /** The live session with this key, if there is one. */
  findByKey(key: string): Session | undefined {
    return this.#sessions.runningWithKey(key).find((session) => !this.#closing.has(session));
  }

  /**
   * The session that already is what is asked for: by its key, or by what it took the place of. [AG6] A session that was
   * revived needs no replacement: who asks for one has only seen its end.
   */
  existing({ key, replaces }: Pick<SessionRequest, 'key' | 'replaces'>): Session | undefined {
    const heir =
      replaces === undefined ? undefined : (this.#alive(replaces) ?? this.#sessions.heirOf(replaces));
    // As it is kept: two keys that are shown alike are one.
    return heir ?? (key === undefined ? undefined : this.findByKey(printable(key)));
  }

  #alive(id: string): Session | undefined {
    return this.list().find(
      (session) => session.identity.id === id && session.exit === null && !this.#closing.has(session),
    );
  }

  /** A new session, or the one that already is what was asked for. Born an orphan until somebody attaches. */
  create(request: SessionRequest): Session {
    const existing = this.existing(request);
    if (existing !== undefined) return existing;
    this.#makeRoom();
    const session = this.#open(request, newId());
    if (request.replaces !== undefined) this.#sessions.inherit(request.replaces, session);
    return session;
  }

  /** A session of an earlier life: the same id, a new program, below its old screen. */
  revive(id: string, request: SessionRequest, oldScreen: Uint8Array): Session {
    return this.#open(request, id, oldScreen);
  }

  rename(session: Session, wanted: string): string {
    const name = printable(wanted);
    if (name === '') throw new Refusal('bad_request', 'A name needs at least one visible character.');
    session.rename(name);
    this.#options.events.changed(session);
    return name;
  }

  /** Ends the program if it runs; the session is gone once it has. */
  close(session: Session, reason: CloseReason): void {
    if (session.exit !== null) return this.#remove(session, reason);
    if (!this.#closing.has(session)) this.#closing.set(session, reason);
    this.#end(session);
  }

  /** Closes unless an operator attaches before: how a closed tab can be brought back, and leaks no shell if not. [AG8] */
  closeLater(session: Session, afterMs: number): void {
    this.#expiry.closeLater(session, afterMs, () => this.close(session, 'closed'));
  }

  /** How much a client may have on its way. */
  windowOf(owner: WindowOwner): CreditWindow {
    return this.#windows.of(owner);
  }

  /** A client says that it has a snapshot. */
  snapshotAcknowledged(channel: number, name: SnapshotName): void {
    this.#windows.find(channel)?.snapshotAcknowledged(name);
  }

  /** On their way to all clients, as far as they have not proven that it arrived. */
  get inFlightBytes(): number {
    return this.#windows.inFlightBytes;
  }

  /** A client is gone: every session it watched has one viewer less. */
  clientDropped(channel: number): void {
    for (const session of this.list()) session.detach(channel);
    this.#windows.delete(channel);
  }

  /** A new link knows nobody. */
  linkOpened(): void {
    for (const session of this.list()) session.detachAll();
    this.#windows.clear();
    this.#expiry.linkOpened();
  }

  linkLost(): void {
    this.#expiry.linkLost();
  }

  presenceAnswered(question: string): void {
    this.#expiry.presenceAnswered(question);
  }

  /** Ends every session; resolves when all have ended with everything they started, or after `withinMs`. */
  drain(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(withinMs, resolve);
      this.#whenDrained = () => {
        if (this.#endings > 0 || this.list().some(({ exit }) => exit === null)) return;
        cancel();
        resolve();
      };
      for (const session of this.list()) this.#end(session);
      this.#whenDrained();
    });
  }

  #end(session: Session): void {
    this.#endings++;
    void session.close().then(() => {
      this.#endings--;
      this.#whenDrained();
    });
  }

  /** Those that ended make room first, oldest first; then, if so configured, the longest orphaned. */
  #makeRoom(): void {
    const { maxSessions, whenFull } = this.#options.limits;
    const staying = this.list().filter((session) => !this.#closing.has(session));
    if (staying.length < maxSessions) return;
    const ended = staying.find(({ exit, operators }) => exit !== null && operators === 0);
    if (ended !== undefined) return this.#remove(ended, 'evicted');
    const [orphan] = staying
      .filter(({ exit, orphanedSince }) => exit === null && orphanedSince !== null)
      .sort((a, b) => Number(a.orphanedSince) - Number(b.orphanedSince));
    if (whenFull === 'refuse' || orphan === undefined) {
      throw new Refusal('session_limit', `This machine allows ${maxSessions} sessions; close one first.`);
    }
    this.close(orphan, 'evicted');
  }

  #open(request: SessionRequest, id: string, prelude?: Uint8Array): Session {
    const { defaults, limits, ...options } = this.#options;
    const identity = {
      id,
      handle: newHandle((handle) => this.findByHandle(handle) !== undefined),
      epoch: this.epoch,
      key: printable(request.key ?? '') || null,
      name: this.#sessions.nameFor(printable(request.name ?? '')),
      ...(request.graceMs === undefined ? {} : { graceMs: request.graceMs }),
    };
    const session = new Session(identity, programOf(request, defaults, id), {
      ...options,
      windowOf: (viewer) => this.#windows.of(viewer),
      historyBytes: limits.historyBytes,
      events: this.#sessionEvents,
      place: this.#places++,
      theme: request.theme,
      ...(prelude === undefined ? {} : { prelude }),
    });
    this.#sessions.add(session);
    this.#settle(session);
    this.#expiry.begin(session);
    return session;
  }

  #settle(session: Session): void {
    this.#expiry.settle(session);
    this.#options.events.changed(session);
  }

  #exited(session: Session, offset: number): void {
    this.#expiry.exited(session);
    const reason = this.#closing.get(session);
    // The description first: who hears of the end and asks for the list must find it there.
    if (reason === undefined) this.#settle(session);
    this.#options.events.exited(session, offset);
    if (reason !== undefined) this.#remove(session, reason);
    this.#whenDrained();
  }

  #remove(session: Session, reason: CloseReason): void {
    this.#expiry.forget(session);
    this.#audienceNews.forget(session);
    this.#closing.delete(session);
    this.#sessions.delete(session);
    session.dispose();
    this.#removals[reason]++;
    this.#options.events.removed(session, reason);
  }
}
