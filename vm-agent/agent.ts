/**
 * The agent's half of the conversation with the relay: takes what clients ask for, and puts what sessions say
 * onto the link, in order. Knows neither sockets nor processes.
 */
import type { Clock } from '../protocol/clock.ts';
import type { WireFrame } from '../protocol/connection.ts';
import { ProtocolError, Refusal } from '../protocol/errors.ts';
import { CHANNEL_ALL, decodeFrame, encodeFrame, encodeSize, type Frame } from '../protocol/frame.ts';
import { INVENTORY_PAGE_BYTES, PAYLOAD_MAX_BYTES, PROTOCOL_VERSION } from '../protocol/limits.ts';
import {
  type AgentMessage,
  type ClientMessage,
  type ClientMessageOf,
  type ClientRole,
  parseRelayMessage,
  type RelayMessage,
  type ServerMessage,
  type SessionInfo,
} from '../protocol/messages.ts';
import { DebtWatch } from './debt-watch.ts';
import { ignoreRecoveries, type RecoveryObserver } from './recoveries.ts';
import type { Replay } from './replay.ts';
import type { Session } from './session.ts';
import { type ManagerEvents, type ManagerOptions, SessionManager } from './session-manager.ts';
import type { Viewer } from './viewer.ts';

export interface AgentOptions extends Omit<ManagerOptions, 'events'> {
  /** Puts a frame on the link; dropped while the link is down, resuming by offset makes up for it. */
  readonly send: (frame: WireFrame) => void;
  /** The agent's numbers, for a client that asks. */
  readonly metrics?: () => string;
  readonly recoveries?: RecoveryObserver;
}

/** A viewer that fell behind by no more is given what it missed; by more, the screen is there sooner. */
const CATCH_UP_MAX_BYTES = 64 * 1024;

/** How long a viewer that has no room for its history now is left alone. */
const HISTORY_RETRY_MS = 1_000;

/** What a viewer may ask for: it watches, and changes nothing. [RL7] */
const FOR_VIEWERS: ReadonlySet<ClientMessage['type']> = new Set([
  'refresh_sessions',
  'reattach_session',
  'hide_session',
  'detach_session',
  'take_snapshot',
]);

/** When a client asked for a session, and whether it had something of it before. */
interface Asked {
  readonly askedAt: number;
  readonly isReturn: boolean;
}

interface CatchUp {
  /** Where the viewer is; undefined when it has nothing. */
  readonly has: number | undefined;
  readonly asked?: Asked | undefined;
  /** What it shows already, with the history above. */
  readonly isHistory?: boolean;
}

export class Agent {
  readonly sessions: SessionManager;
  readonly #send: (frame: WireFrame) => void;
  #isSilent = false;
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #debts: DebtWatch;
  readonly #metrics: () => string;
  readonly #recoveries: RecoveryObserver;
  /** Of this link, as the relay counts; what carries a lower one was said to an earlier link. [RL10] */
  #generation = 0;

  constructor({ send, metrics = () => '', recoveries = ignoreRecoveries, ...options }: AgentOptions) {
    this.#send = send;
    this.#metrics = metrics;
    this.#recoveries = recoveries;
    this.#clock = options.clock;
    this.#graceMs = options.limits.orphanGraceMs;
    this.sessions = new SessionManager({ ...options, events: this.#events() });
    this.#debts = new DebtWatch({
      clock: options.clock,
      owed: () => this.sessions.list().some((session) => session.isOwed),
      ask: (question) => this.#tell({ type: 'ask_presence', question }),
    });
  }

  /** A new link knows nobody: say who we are and what runs, and let everybody attach again. [AG1] */
  linkOpened(): void {
    // Who was attached on the old link is not news for the new one, whose first word is `hello`.
    this.#isSilent = true;
    this.#generation = 0;
    this.sessions.linkOpened();
    this.#isSilent = false;
    const pages = pagesOf(this.sessions.list().map((session) => session.info));
    const { epoch } = this.sessions;
    const grace = this.#graceMs > 0 ? { graceMs: this.#graceMs } : {};
    pages.forEach((sessions, page) => {
      const more = page + 1 < pages.length;
      if (page === 0)
        this.#tell({ type: 'hello', version: PROTOCOL_VERSION, epoch, sessions, more, ...grace });
      else this.#tell({ type: 'inventory', sessions, more });
    });
  }

  linkLost(): void {
    this.sessions.linkLost();
  }

  /** Throws a ProtocolError for what no relay of ours would send. */
  received(frame: WireFrame): void {
    if (typeof frame === 'string') this.#control(parseRelayMessage(frame));
    else this.#data(decodeFrame(frame));
  }

  // ── From the relay ───────────────────────────────────────────────────────────────────────────────

  #control(message: RelayMessage): void {
    if ('generation' in message) {
      if (message.generation < this.#generation) return;
      this.#generation = message.generation;
    }
    switch (message.type) {
      case 'from_client':
        this.#request(message.channel, message.role, message.message);
        return;
      case 'client_dropped':
        this.sessions.clientDropped(message.channel);
        return;
      case 'presence':
        if (message.question !== undefined) this.sessions.presenceAnswered(message.question);
        return;
    }
  }

  #data(frame: Frame): void {
    const session = this.sessions.findByHandle(frame.handle);
    const viewer = session?.viewer(frame.channel);
    // Not attached on this link: late frames of an earlier one. The client resends after it has attached. [IN5]
    if (session === undefined || viewer === undefined) return;
    if (frame.kind === 'ack') {
      session.acknowledge(frame.channel, frame.offset);
    } else if (frame.kind === 'input') {
      this.#answering(frame.channel, { session: session.identity.id }, () => {
        if (viewer.role === 'viewer') throw new Refusal('forbidden', 'This link is for watching only.');
        session.input(viewer, frame.offset, frame.payload);
      });
    } else {
      throw new ProtocolError(`clients send no ${frame.kind} frames`);
    }
  }

  #request(channel: number, role: ClientRole, message: ClientMessage): void {
    this.#answering(channel, message, () => {
      if (role === 'viewer' && !FOR_VIEWERS.has(message.type)) {
        throw new Refusal('forbidden', 'This link is for watching only.');
      }
      switch (message.type) {
        case 'create_session':
          return this.#create(channel, message);
        case 'reattach_session':
          return this.#reattach(channel, role, message);
        case 'hide_session':
          return this.#hide(channel, this.sessions.find(message.session));
        case 'detach_session':
          return this.#detach(channel, message.session);
        case 'close_session':
          return this.#close(message);
        case 'rename_session':
          return this.#rename(message);
        case 'refresh_sessions':
          return this.#refresh(channel, message);
        case 'resize':
          return this.#resize(channel, message);
        case 'take_snapshot':
          return this.#takeSnapshot(channel, message);
        case 'read_metrics':
          return this.#reply(channel, { type: 'metrics', request: message.request, text: this.#metrics() });
        case 'list_sessions':
        case 'load_layout':
        case 'save_layout':
          throw new ProtocolError(`the relay answers ${message.type} itself`);
      }
    });
  }

  #create(channel: number, message: ClientMessageOf<'create_session'>): void {
    const { cols, rows, request } = message;
    const found = this.sessions.existing(message) === undefined ? {} : { found: true };
    const session = this.sessions.create({ ...message, size: { cols, rows } });
    this.#reply(channel, { type: 'session_created', request, session: session.info, ...found });
  }

  #resize(channel: number, message: ClientMessageOf<'resize'>): void {
    const session = this.sessions.find(message.session);
    session.windowChanged(channel, message, message.takeOver ?? false);
    const { request } = message;
    if (request === undefined) return;
    if (session.exit !== null) throw new Refusal('session_exited', 'The program of this session has ended.');
    this.#tell({ type: 'session_changed', session: session.info });
    this.#reply(channel, { type: 'session_resized', request, session: message.session, ...session.size });
  }

  /** A picture for somebody who need not watch: of everything printed before the question. [OU16] */
  #takeSnapshot(
    channel: number,
    { request, session: id, format, scope }: ClientMessageOf<'take_snapshot'>,
  ): void {
    const session = this.sessions.find(id);
    const { handle } = session.identity;
    const wanted = { format, scope: scope ?? 'all', atLeast: session.end } as const;
    void session.snapshot(wanted).then((taken) => {
      this.#answering(channel, { request, session: id }, () => {
        if (taken === undefined)
          throw new Refusal('session_missing', 'This session does not exist any more.');
        const { deflated, offset, size } = taken;
        const bytes = deflated.length;
        this.#reply(channel, {
          type: 'snapshot_taken',
          request,
          session: id,
          handle,
          format,
          offset,
          ...size,
          bytes,
        });
        this.#sendCut('snapshot', channel, handle, 0, deflated);
        this.#recoveries.snapshotSent(bytes);
      });
    });
  }

  /** Confirm, replay, subscribe, in the one ordered stream: live output begins where the replay ends. [OU1] */
  #reattach(channel: number, role: ClientRole, message: ClientMessageOf<'reattach_session'>): void {
    const askedAt = this.#clock.now();
    const session = this.#attachable(message);
    const { handle } = session.identity;
    this.#tell({ type: 'unsubscribe', channel, handle });
    const sameLife = message.epoch === undefined || message.epoch === this.sessions.epoch;
    const { cols, rows, instance, history = 'all' } = message;
    const viewer: Viewer = { channel, role, instance, history };
    session.attach(viewer, cols === undefined || rows === undefined ? null : { cols, rows });
    this.#reply(channel, {
      type: 'session_reattached',
      request: message.request,
      session: session.info,
      handle,
      inputOffset: session.inputTaken(message.instance, sameLife ? (message.typed ?? 0) : 0),
    });
    if (message.hidden) return this.#hide(channel, session);
    const has = sameLife ? message.from : undefined;
    const delta = has === undefined ? null : session.replay(has);
    const asked = { askedAt, isReturn: message.from !== undefined };
    if (delta === null) this.#showScreen(session, viewer, has, asked);
    else this.#catchUp(session, viewer, delta, { has, asked });
  }

  /** Nobody looks: no replay, no output, only a mark when there is some. [OU13] */
  #hide(channel: number, session: Session): void {
    this.#tell({ type: 'unsubscribe', channel, handle: session.identity.handle });
    session.hide(channel);
    if (session.exit !== null) this.#reply(channel, exitedMessage(session, session.end));
  }

  /** The session a client may attach to as it asks to; a refusal is a recovery that failed. */
  #attachable({ session: id, exited, instance, once }: ClientMessageOf<'reattach_session'>): Session {
    try {
      const session = this.sessions.find(id);
      if (session.exit !== null && exited !== 'read') {
        throw new Refusal('session_exited', 'The program of this session has ended.');
      }
      if (once !== undefined && !session.promises(instance, once)) {
        throw new Refusal(
          'input_conflict',
          'Something else was typed under this name before; choose another.',
        );
      }
      return session;
    } catch (error) {
      this.#recoveries.failed();
      throw error;
    }
  }

  #showScreen(session: Session, viewer: Viewer, has: number | undefined, asked?: Asked): void {
    void session.replayScreen(viewer).then((replay) => {
      if (replay === null) return;
      this.#catchUp(session, viewer, replay, { has, asked });
      if (viewer.history === 'later' && replay.linesAbove > 0) this.#showHistory(session, viewer);
    });
  }

  /**
   * What was left out for the sake of the screen. A viewer that is behind is asked again later; one that has fallen
   * behind altogether gets another screen first, which leads back here. [OU15]
   */
  #showHistory(session: Session, viewer: Viewer): void {
    if (!session.isFollowing(viewer)) return;
    const again = () => this.#clock.after(HISTORY_RETRY_MS, () => this.#showHistory(session, viewer));
    if (!session.isCalm(viewer)) return void again();
    void session.replayHistory(viewer).then((replay) => {
      if (replay === null) again();
      else this.#catchUp(session, viewer, replay, { has: replay.from, isHistory: true });
    });
  }

  /** Little was missed: exactly that. More: the screen as it is now, and how much was skipped. [OU10] */
  #bringBack(session: Session, viewer: Viewer, has: number): void {
    const isLittle = session.end - has <= CATCH_UP_MAX_BYTES;
    const delta = isLittle ? session.replay(has) : null;
    if (delta === null) this.#showScreen(session, viewer, has);
    else this.#catchUp(session, viewer, delta, { has });
  }

  /** The replay goes to the one client; from the subscription on it is told what everybody is. */
  #catchUp(
    session: Session,
    viewer: Viewer,
    replay: Replay,
    { has, asked, isHistory = false }: CatchUp,
  ): void {
    const { channel } = viewer;
    const { handle, id } = session.identity;
    const { from, to, size, screen, pieces } = replay;
    const kind = screen === null ? 'delta' : 'snapshot';
    const lost = has === undefined ? 0 : Math.max(0, from - has);
    const bytes = screen?.length ?? 0;
    const history = isHistory ? { history: true } : {};
    this.#reply(channel, {
      type: 'scrollback',
      session: id,
      handle,
      kind,
      from,
      to,
      lost,
      ...size,
      bytes,
      ...history,
    });
    if (screen !== null) this.#sendCut('snapshot', channel, handle, 0, screen);
    for (const piece of pieces) {
      if (piece.kind === 'output') this.#sendCut('output', channel, handle, piece.offset, piece.bytes, to);
      else
        this.#send(
          encodeFrame({ kind: 'resize', channel, handle, offset: piece.offset }, encodeSize(piece.size)),
        );
    }
    if (!isHistory && !replay.isStill) this.#tell({ type: 'subscribe', channel, handle });
    if (!isHistory) this.#tellDriver(session, channel);
    session.follow(channel, replay);
    if (screen !== null) this.#recoveries.snapshotSent(bytes);
    if (asked !== undefined) {
      const ms = this.#clock.now() - asked.askedAt;
      this.#recoveries.recovered({ ms, kind, isReturn: asked.isReturn, lostBytes: lost });
    }
    if (session.exit !== null) this.#reply(channel, exitedMessage(session, session.end));
  }

  #tellDriver(session: Session, channel: number): void {
    this.#reply(channel, {
      type: 'session_driver',
      session: session.identity.id,
      yours: session.driver === channel,
    });
  }

  #sendCut(
    kind: 'output' | 'snapshot',
    channel: number,
    handle: number,
    offset: number,
    bytes: Uint8Array,
    /** What ends here is acknowledged at once. */
    askAt = Number.POSITIVE_INFINITY,
  ): void {
    for (let at = 0; at < bytes.length; at += PAYLOAD_MAX_BYTES) {
      const piece = bytes.subarray(at, at + PAYLOAD_MAX_BYTES);
      const wantsAck = offset + at + piece.length === askAt;
      this.#send(encodeFrame({ kind, channel, handle, offset: offset + at, wantsAck }, piece));
    }
  }

  #detach(channel: number, id: string): void {
    const session = this.sessions.find(id);
    this.#tell({ type: 'unsubscribe', channel, handle: session.identity.handle });
    session.detach(channel);
  }

  #close({ session, afterMs = 0 }: ClientMessageOf<'close_session'>): void {
    const found = this.sessions.find(session);
    if (afterMs > 0) this.sessions.closeLater(found, afterMs);
    else this.sessions.close(found, 'closed');
  }

  #rename({ session, name }: ClientMessageOf<'rename_session'>): void {
    const given = this.sessions.rename(this.sessions.find(session), name);
    this.#tell({ type: 'to_clients', message: { type: 'session_renamed', session, name: given } });
  }

  /** The descriptions first, in the one ordered stream: who then asks the relay for its list finds them there. [AG9] */
  #refresh(channel: number, { request, session }: ClientMessageOf<'refresh_sessions'>): void {
    const meant = session === undefined ? this.sessions.list() : [this.sessions.find(session)];
    for (const { info } of meant) this.#tell({ type: 'session_changed', session: info });
    this.#reply(channel, { type: 'sessions_refreshed', request });
  }

  /** One place where a refusal becomes the answer to whoever asked. */
  #answering(
    channel: number,
    asked: { readonly request?: string | undefined; readonly session?: string | undefined },
    act: () => void,
  ): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { request, session } = asked;
      this.#reply(channel, {
        type: 'error',
        code: error.code,
        message: error.message,
        ...(request === undefined ? {} : { request }),
        ...(session === undefined ? {} : { session }),
      });
    }
  }

  // ── To the relay ─────────────────────────────────────────────────────────────────────────────────

  #events(): ManagerEvents {
    return {
      output: ({ identity: { handle } }, offset, bytes, wantsAck) => {
        this.#send(encodeFrame({ kind: 'output', channel: CHANNEL_ALL, handle, offset, wantsAck }, bytes));
        this.#debts.sent();
      },
      resized: ({ identity: { handle } }, offset, size) =>
        this.#send(encodeFrame({ kind: 'resize', channel: CHANNEL_ALL, handle, offset }, encodeSize(size))),
      driverChanged: (session) => {
        for (const channel of session.channels()) this.#tellDriver(session, channel);
      },
      lagging: ({ identity: { handle } }, { channel }) =>
        this.#tell({ type: 'unsubscribe', channel, handle }),
      unseen: ({ identity: { id } }, { channel }, { bell }) =>
        this.#reply(channel, { type: 'session_activity', session: id, bell }),
      relieved: (session, viewer, has) => this.#bringBack(session, viewer, has),
      inputTaken: ({ identity: { handle } }, channel, offset) =>
        this.#send(encodeFrame({ kind: 'ack', channel, handle, offset })),
      exited: (session, offset) =>
        this.#tell({ type: 'to_clients', message: exitedMessage(session, offset) }),
      changed: (session) => this.#tell({ type: 'session_changed', session: session.info }),
      removed: ({ identity: { id } }, reason) => {
        this.#tell({ type: 'session_gone', session: id, reason });
        this.#tell({ type: 'to_clients', message: { type: 'session_closed', session: id, reason } });
      },
      askPresence: (question) => this.#tell({ type: 'ask_presence', question }),
    };
  }

  #reply(channel: number, message: ServerMessage): void {
    this.#tell({ type: 'to_client', channel, message });
  }

  #tell(message: AgentMessage): void {
    if (!this.#isSilent) this.#send(JSON.stringify(message));
  }
}

function exitedMessage(session: Session, offset: number): ServerMessage {
  const { code = null, signal = null } = session.exit ?? {};
  return { type: 'session_exited', session: session.identity.id, exitCode: code, signal, offset };
}

/** The inventory in pages that each fit into a message; at least one, which may be empty. */
function pagesOf(sessions: readonly SessionInfo[]): SessionInfo[][] {
  const pages: SessionInfo[][] = [[]];
  let bytes = 0;
  for (const session of sessions) {
    const length = Buffer.byteLength(JSON.stringify(session));
    if (bytes + length > INVENTORY_PAGE_BYTES) {
      pages.push([]);
      bytes = 0;
    }
    pages.at(-1)?.push(session);
    bytes += length;
  }
  return pages;
}
