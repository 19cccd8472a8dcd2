/**
 * The sessions of this agent's life: made, found by id, handle or key, kept while somebody may come back,
 * and forgotten. Global to the process; a connection only tracks what it attached.
 */
import { resolve } from 'node:path';
import type { Cancel, Clock } from '../protocol/clock.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Size } from '../protocol/frame.ts';
import type { CloseReason } from '../protocol/messages.ts';
import { ClientWindow, OutputInFlight } from './client-window.ts';
import { newHandle, newId } from './ids.ts';
import { printable } from './printable.ts';
import type { SpawnPty, SpawnSpec } from './pty.ts';
import { Reaper } from './reaper.ts';
import { type OpenScreen, Session, type SessionEvents } from './session.ts';
import { sessionEnvironment } from './session-environment.ts';
import type { Keep } from './session-keeper.ts';

export interface SessionRequest {
  readonly name?: string | undefined;
  /** At most one live session has a given key; asking for it again finds that one. */
  readonly key?: string | undefined;
  /** The session this one takes the place of; the first to ask creates, every other gets that one. */
  readonly replaces?: string | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly size: Size;
  /** How long it is kept without viewers; the agent's own setting when it does not say. */
  readonly graceMs?: number | undefined;
}

/** How long and how many; times of zero never run out. */
export interface SessionLimits {
  readonly historyBytes: number;
  readonly maxSessions: number;
  readonly whenFull: 'refuse' | 'evict-oldest-orphan';
  readonly orphanGraceMs: number;
  readonly idleTimeoutMs: number;
  readonly exitedKeepMs: number;
}

export interface ManagerEvents extends Omit<SessionEvents, 'audienceChanged'> {
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
  /** Shell, directory and environment of a session that asks for nothing else. */
  readonly defaults: Readonly<{ command: string; cwd: string; env: Readonly<Record<string, string>> }>;
  readonly events: ManagerEvents;
}

export interface SessionCounts {
  readonly running: number;
  /** Among the running. */
  readonly orphaned: number;
  readonly exited: number;
}

export class SessionManager {
  readonly epoch = newId();
  readonly #options: ManagerOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #byHandle = new Map<number, Session>();
  /** Which session took the place of which. */
  readonly #heirs = new Map<string, string>();
  /** On their way out, and why; removed when their program has ended. */
  readonly #closing = new Map<Session, CloseReason>();
  /** Of sessions that are to be closed later: how to stop that. */
  readonly #reprieves = new Map<Session, Cancel>();
  readonly #removals: Record<CloseReason, number> = {
    closed: 0,
    orphan_expired: 0,
    idle: 0,
    exited_expired: 0,
    evicted: 0,
  };
  /** One per client, over all its sessions. */
  readonly #windows = new Map<number, ClientWindow>();
  readonly #inFlight = new OutputInFlight();
  readonly #reaper: Reaper;
  readonly #sessionEvents: SessionEvents;
  /** The next session's place among the others. */
  #places = 0;
  #whenDrained: () => void = () => {};

  constructor(options: ManagerOptions) {
    const { clock, events } = options;
    this.#options = options;
    this.#reaper = new Reaper({
      clock,
      ask: events.askPresence,
      end: (id, reason) => this.close(this.find(id), reason),
    });
    this.#sessionEvents = {
      output: events.output,
      resized: events.resized,
      inputTaken: events.inputTaken,
      driverChanged: events.driverChanged,
      lagging: events.lagging,
      relieved: events.relieved,
      unseen: events.unseen,
      audienceChanged: (session) => this.#settle(session),
      exited: (session, offset) => this.#exited(session, offset),
    };
  }

  list(): Session[] {
    return [...this.#sessions.values()];
  }

  counts(): SessionCounts {
    const running = this.list().filter(({ exit }) => exit === null);
    const orphaned = running.filter(({ viewers }) => viewers === 0).length;
    return { running: running.length, orphaned, exited: this.#sessions.size - running.length };
  }

  /** How many sessions were removed so far, by reason. */
  get removals(): Readonly<Record<CloseReason, number>> {
    return this.#removals;
  }

  find(id: string): Session {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Refusal('session_missing', 'This session does not exist any more.');
    return session;
  }

  findByHandle(handle: number): Session | undefined {
    return this.#byHandle.get(handle);
  }

  /** The live session with this key, if there is one. */
  findByKey(key: string): Session | undefined {
    return this.list().find(
      (session) => session.identity.key === key && session.exit === null && !this.#closing.has(session),
    );
  }

  /** A new session, or the one that already is what was asked for. Born an orphan until somebody attaches. */
  create(request: SessionRequest): Session {
    const existing = this.existing(request);
    if (existing !== undefined) return existing;
    this.#makeRoom();
    const session = this.#open(request, { id: newId() });
    if (request.replaces !== undefined) this.#heirs.set(request.replaces, session.identity.id);
    return session;
  }

  /** A session of an earlier life: the same id, a new program, below its old screen. */
  revive(id: string, request: SessionRequest, oldScreen: Uint8Array): Session {
    return this.#open(request, { id, prelude: oldScreen });
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
    session.close();
  }

  /** Closes unless somebody attaches before: how a closed tab can be brought back, and leaks no shell if not. [AG8] */
  closeLater(session: Session, afterMs: number): void {
    this.#reprieves.get(session)?.();
    const cancel = this.#options.clock.after(afterMs, () => this.close(session, 'closed'));
    this.#reprieves.set(session, cancel);
  }

  /** A client is gone: every session it watched has one viewer less. */
  clientDropped(channel: number): void {
    for (const session of this.#sessions.values()) session.detach(channel);
    this.#windows.delete(channel);
  }

  /** A new link knows nobody. */
  linkOpened(): void {
    for (const session of this.#sessions.values()) session.detachAll();
    this.#windows.clear();
    this.#reaper.linkOpened();
  }

  linkLost(): void {
    this.#reaper.linkLost();
  }

  presenceAnswered(question: string): void {
    this.#reaper.answered(question);
  }

  /** Ends every session; resolves when all have ended, or after `withinMs`. */
  drain(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(withinMs, resolve);
      this.#whenDrained = () => {
        if (this.list().some(({ exit }) => exit === null)) return;
        cancel();
        resolve();
      };
      for (const session of this.#sessions.values()) session.close();
      this.#whenDrained();
    });
  }

  #windowOf(channel: number): ClientWindow {
    const window = this.#windows.get(channel) ?? new ClientWindow(this.#inFlight);
    this.#windows.set(channel, window);
    return window;
  }

  /** The session that already is what is asked for: by its key, or by what it took the place of. [AG6] */
  existing({ key, replaces }: Pick<SessionRequest, 'key' | 'replaces'>): Session | undefined {
    const heir = replaces === undefined ? undefined : this.#sessions.get(this.#heirs.get(replaces) ?? '');
    return heir ?? (key === undefined ? undefined : this.findByKey(key));
  }

  /** Those that ended make room first, oldest first; then, if so configured, the longest orphaned. */
  #makeRoom(): void {
    const { maxSessions, whenFull } = this.#options.limits;
    const staying = this.list().filter((session) => !this.#closing.has(session));
    if (staying.length < maxSessions) return;
    const ended = staying.find(({ exit, viewers }) => exit !== null && viewers === 0);
    if (ended !== undefined) return this.#remove(ended, 'evicted');
    const [orphan] = staying
      .filter(({ exit, orphanedSince }) => exit === null && orphanedSince !== null)
      .sort((a, b) => Number(a.orphanedSince) - Number(b.orphanedSince));
    if (whenFull === 'refuse' || orphan === undefined) {
      throw new Refusal('session_limit', `This machine allows ${maxSessions} sessions; close one first.`);
    }
    this.close(orphan, 'evicted');
  }

  #open(request: SessionRequest, { id, prelude }: { id: string; prelude?: Uint8Array }): Session {
    const { clock, defaults, keep, limits, openScreen, spawn } = this.#options;
    const spec: SpawnSpec = {
      command: request.command ?? defaults.command,
      args: request.args ?? [],
      cwd: resolve(defaults.cwd, request.cwd ?? '.'),
      env: sessionEnvironment(defaults.env, request.env),
      size: { cols: request.size.cols, rows: request.size.rows },
    };
    const identity = {
      id,
      handle: newHandle((handle) => this.#byHandle.has(handle)),
      epoch: this.epoch,
      key: printable(request.key ?? '') || null,
      name: printable(request.name ?? '') || this.#freeName(),
      ...(request.graceMs === undefined ? {} : { graceMs: request.graceMs }),
    };
    const session = new Session(identity, spec, {
      spawn,
      openScreen,
      keep,
      clock,
      windowOf: (channel) => this.#windowOf(channel),
      historyBytes: limits.historyBytes,
      events: this.#sessionEvents,
      place: this.#places++,
      ...(prelude === undefined ? {} : { prelude }),
    });
    this.#sessions.set(id, session);
    this.#byHandle.set(identity.handle, session);
    this.#settle(session);
    this.#watchIdle(session);
    return session;
  }

  #freeName(): string {
    const taken = new Set(this.list().map((session) => session.info.name));
    for (let n = 1; ; n++) if (!taken.has(`Terminal ${n}`)) return `Terminal ${n}`;
  }

  /** Decides which time runs for a session, after anybody came or went and after its program ended. */
  #settle(session: Session): void {
    const { id } = session.identity;
    const { exitedKeepMs } = this.#options.limits;
    const orphanGraceMs = session.identity.graceMs ?? this.#options.limits.orphanGraceMs;
    this.#reaper.release(id, 'orphan_expired');
    this.#reaper.release(id, 'exited_expired');
    if (session.viewers > 0) this.#reprieve(session);
    if (session.viewers === 0) {
      if (session.exit === null) this.#reaper.watch({ id, reason: 'orphan_expired', afterMs: orphanGraceMs });
      else this.#reaper.watch({ id, reason: 'exited_expired', afterMs: exitedKeepMs });
    }
    this.#options.events.changed(session);
  }

  #reprieve(session: Session): void {
    this.#reprieves.get(session)?.();
    this.#reprieves.delete(session);
  }

  #watchIdle(session: Session): void {
    const afterMs = this.#options.limits.idleTimeoutMs;
    const remainingMs = () => afterMs - session.idleMs;
    this.#reaper.watch({ id: session.identity.id, reason: 'idle', afterMs, remainingMs });
  }

  #exited(session: Session, offset: number): void {
    this.#reaper.release(session.identity.id, 'idle');
    const reason = this.#closing.get(session);
    // The description first: who hears of the end and asks for the list must find it there.
    if (reason === undefined) this.#settle(session);
    this.#options.events.exited(session, offset);
    if (reason !== undefined) this.#remove(session, reason);
    this.#whenDrained();
  }

  #remove(session: Session, reason: CloseReason): void {
    const { handle, id } = session.identity;
    for (const sentence of ['orphan_expired', 'exited_expired', 'idle'] as const)
      this.#reaper.release(id, sentence);
    this.#reprieve(session);
    this.#closing.delete(session);
    this.#sessions.delete(id);
    this.#byHandle.delete(handle);
    for (const [replaced, heir] of this.#heirs) if (heir === id) this.#heirs.delete(replaced);
    session.dispose();
    this.#removals[reason]++;
    this.#options.events.removed(session, reason);
  }
}
