/**
 * Creates, keeps and removes the sessions of this agent process. Sessions belong to the process; a connection only
 * tracks its attachments.
 */
import { Refusal } from '../../protocol/errors.ts';
import type { CloseReason } from '../../protocol/messages/session-info.ts';
import { printable } from '../../protocol/printable.ts';
import { nextCommandNumber } from '../commands/stored-commands.ts';
import { CreditWindows } from '../output/credit-windows.ts';
import type { SpawnSpec } from '../pty/pty.ts';
import { newHandle, newId } from './ids.ts';
import type { Adoptable, ManagerOptions } from './manager-options.ts';
import { PacedNews } from './paced-news.ts';
import { Session } from './session.ts';
import { SessionEndings } from './session-endings.ts';
import type { SessionEvents } from './session-events.ts';
import { SessionExpiry } from './session-expiry.ts';
import { adoptedIdentity, newIdentity } from './session-identity.ts';
import { SessionIndex } from './session-index.ts';
import type { SessionIdentity, SessionOptions } from './session-options.ts';
import { programOf, type SessionRequest } from './session-request.ts';

/** What differs from session to session. */
type OwnOptions = Pick<
  SessionOptions<Session>,
  'spawn' | 'place' | 'replaces' | 'theme' | 'earlierCommands' | 'prelude' | 'adopted'
>;

interface SessionCounts {
  readonly running: number;
  /** Included in `running`. */
  readonly orphaned: number;
  readonly exited: number;
}

export class SessionManager {
  readonly epoch: string;
  readonly #options: ManagerOptions;
  readonly #sessions = new SessionIndex();
  /** The credit windows of all clients. */
  readonly windows = new CreditWindows();
  readonly #expiry: SessionExpiry;
  readonly #endings: SessionEndings;
  readonly #sessionEvents: SessionEvents<Session>;
  /** Reports attaching and leaving, and attention. */
  readonly #audienceNews: PacedNews<Session>;
  /** Sessions that are closing, and why; removed once their program has ended. */
  readonly #closing = new Map<Session, CloseReason>();
  readonly #removals: Record<CloseReason, number> = {
    closed: 0,
    orphan_expired: 0,
    idle: 0,
    exited_expired: 0,
    evicted: 0,
  };
  /** The next session's position in the list. */
  #places = 0;

  constructor(options: ManagerOptions) {
    const { clock, events, limits } = options;
    this.#options = options;
    this.epoch = options.epoch ?? newId();
    this.#expiry = new SessionExpiry({
      clock,
      limits,
      ask: events.askPresence,
      end: (id, reason) => this.close(this.find(id), reason),
    });
    this.#endings = new SessionEndings(clock, () => this.list());
    this.#audienceNews = new PacedNews(clock, (session) => events.changed(session));
    this.#sessionEvents = {
      ...events,
      audienceChanged: (session, role) => {
        if (role === 'operator') this.#expiry.settle(session);
        this.#audienceNews.changed(session);
      },
      attentionChanged: (session) => {
        // That a session has exited which is being closed would hide from the relay why it is gone.
        if (!this.#closing.has(session)) this.#audienceNews.changed(session);
        events.attentionChanged(session);
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

  /** The running session with this key that is not closing. */
  findByKey(key: string): Session | undefined {
    return this.#sessions.runningWithKey(key).find((session) => !this.#closing.has(session));
  }

  /**
   * The session that already satisfies a request, by its key or by what it replaced. [AG6] A revived session needs no
   * replacement: a client that asks for one has only seen its end.
   */
  existing({ key, replaces }: Pick<SessionRequest, 'key' | 'replaces'>): Session | undefined {
    const isRevived = (session: Session): boolean =>
      session.identity.id === replaces && session.exit === null && !this.#closing.has(session);
    const heir =
      replaces === undefined ? undefined : (this.list().find(isRevived) ?? this.#sessions.heirOf(replaces));
    // Compared as stored: two keys that look alike are the same key.
    return heir ?? (key === undefined ? undefined : this.findByKey(printable(key)));
  }

  /**
   * Returns a new session, or the existing one that satisfies the request. New sessions are orphaned until a client
   * attaches.
   */
  create(request: SessionRequest): Session {
    const existing = this.existing(request);
    if (existing !== undefined) return existing;
    this.#makeRoom();
    const session = this.#open(request, newId());
    if (request.replaces !== undefined) this.#sessions.inherit(request.replaces, session);
    // Whoever waits for it gets the reason.
    session.starting?.catch(() => this.#remove(session, 'closed'));
    return session;
  }

  /** A session of an earlier agent process whose program still runs. `spawn` returns that program. */
  adopt({ id, handle, spec, metadata, spawn, ...adopted }: Adoptable): Session {
    const { place, replaces } = metadata;
    const identity = adoptedIdentity({ id, handle, epoch: this.epoch }, metadata);
    this.#places = Math.max(this.#places, place + 1);
    const createdAt = new Date(metadata.createdAt);
    const session = this.#begin(identity, spec, {
      spawn,
      place,
      replaces,
      theme: undefined,
      earlierCommands: metadata.commands,
      adopted: { ...adopted, createdAt, title: metadata.title, attention: metadata.attention },
    });
    if (replaces !== undefined) this.#sessions.inherit(replaces, session);
    return session;
  }

  /** A session of an earlier agent process: same id, new program, below its old screen. */
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

  /** Ends the program if it runs; the session is removed once the program has ended. */
  close(session: Session, reason: CloseReason): void {
    if (session.exit !== null) return this.#remove(session, reason);
    if (!this.#closing.has(session)) this.#closing.set(session, reason);
    this.#endings.end(session);
  }

  /**
   * Closes unless an operator attaches first. This lets a closed tab be reopened without leaking its shell if it is
   * not. [AG8]
   */
  closeLater(session: Session, afterMs: number): void {
    this.#expiry.closeLater(session, afterMs, () => this.close(session, 'closed'));
  }

  /** Bytes in flight to all clients, until proven to have arrived. */
  get inFlightBytes(): number {
    return this.windows.inFlightBytes;
  }

  /** The client is gone: detaches it from every session. */
  clientDropped(channel: number): void {
    for (const session of this.list()) session.clients.detach(channel);
    this.windows.delete(channel);
  }

  /** A new link has no attachments yet. */
  linkOpened(): void {
    for (const session of this.list()) session.clients.detachAll();
    this.windows.clear();
    this.#expiry.linkOpened();
  }

  linkLost(): void {
    // Nobody can see anything; whoever comes back looks then.
    for (const session of this.list()) session.notices.look(false);
    this.#expiry.linkLost();
  }

  presenceAnswered(question: string): void {
    this.#expiry.presenceAnswered(question);
  }

  /** Ends every session. Resolves when all programs and everything they started have ended, or after `withinMs`. */
  drain(withinMs: number): Promise<void> {
    return this.#endings.drain(withinMs);
  }

  /** Removes exited sessions first, oldest first; then, if configured, the session orphaned for longest. */
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
    const { defaults, limits, markShell = (spec) => spec, spawn } = this.#options;
    const handle = newHandle((taken) => this.findByHandle(taken) !== undefined);
    const name = this.#sessions.nameFor(printable(request.name ?? ''));
    const identity = newIdentity({ id, handle, epoch: this.epoch }, { name, ...defaults }, request);
    const marks = { nonce: identity.marksNonce, firstNumber: nextCommandNumber(request.commands) };
    const { historyBytes } = limits;
    return this.#begin(identity, programOf(request, defaults, id), {
      spawn: (spec, events) => spawn(markShell(spec, marks), events, { id, handle, historyBytes }),
      place: this.#places++,
      replaces: request.replaces,
      theme: request.theme,
      earlierCommands: request.commands,
      ...(prelude === undefined ? {} : { prelude }),
    });
  }

  #begin(identity: SessionIdentity, spec: SpawnSpec, own: OwnOptions): Session {
    const { limits, ...options } = this.#options;
    const session = new Session(identity, spec, {
      ...options,
      windowOf: (viewer) => this.windows.of(viewer),
      historyBytes: limits.historyBytes,
      events: this.#sessionEvents,
      marksNonce: identity.marksNonce,
      ...own,
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
    // The description comes first: a client that hears of the exit and lists the sessions must see it there.
    if (reason === undefined) this.#settle(session);
    this.#options.events.exited(session, offset);
    if (reason !== undefined) this.#remove(session, reason);
    this.#endings.exited();
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
