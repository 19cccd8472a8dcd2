/**
 * A client of one workspace: keeps the connection open, sends requests, and attaches sessions. It uses neither the DOM
 * nor Node; the page and the command line each supply a `dial` and a clock.
 */

import type { ClientMessageOf } from '../protocol/client-message.ts';
import type { Clock } from '../protocol/clock.ts';
import { CLOSE, closeSentence } from '../protocol/close-codes.ts';
import { Connection, type ConnectionState, type Dial, type WireFrame } from '../protocol/connection.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { decodeFrame, encodeFrame, type Size } from '../protocol/frame.ts';
import { LISTED_MAX_SESSIONS } from '../protocol/limits.ts';
import type { Layout, SnapshotFormat, Theme } from '../protocol/message-parts.ts';
import type { ClientRole } from '../protocol/roles.ts';
import {
  type AgentPresence,
  parseServerMessage,
  type ServerMessage,
  type ServerMessageOf,
} from '../protocol/server-message.ts';
import type { SessionInfo } from '../protocol/session-info.ts';
import { AgentProbe, type AgentVerdict } from './agent-probe.ts';
import type { AttachedSession, AttachOptions } from './attached-session.ts';
import type { ClientChange } from './client-change.ts';
import { Requests } from './requests.ts';
import { RoundTrip } from './round-trip.ts';
import type { Screen } from './screen.ts';
import { SendPace } from './send-pace.ts';
import { SessionExchange } from './session-exchange.ts';
import type { Inflate, SessionLink } from './session-link.ts';

export type ClientState =
  | { readonly name: 'connecting' }
  | { readonly name: 'live'; readonly agent: AgentPresence }
  | { readonly name: 'waiting'; readonly retryAt: number; readonly why: string }
  | { readonly name: 'refused'; readonly code: number; readonly why: string };

export interface ClientOptions {
  readonly inflate: Inflate;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly random: () => number;
  readonly watched: () => boolean;
  /** Whether the next attempt may have another credential, so that 4401 is not final. */
  readonly renewable?: boolean;
  /** Random, and new for every page load: a duplicated tab must not count as the same instance. */
  readonly instance: string;
  /**
   * Receives how many more bytes this client holds for its screens, or fewer if negative. If it throws a ProtocolError,
   * the client leaves. Without it, each session has its own limit, but there is none for all of them together.
   */
  readonly holds?: (bytes: number) => void;
  /** How soon after the last traffic to check that the relay still knows this connection; a minute by default. */
  readonly proveAfterMs?: number;
}

/** News about a session that every connected client gets. */
export type SessionNews = ServerMessageOf<'session_renamed' | 'session_closed' | 'session_exited'>;

export type CreateOptions = Omit<ClientMessageOf<'create_session'>, 'type' | 'request'>;

/** Round-trip times in milliseconds; null until measured. */
export interface Statistics {
  /** To the relay, measured by heartbeats. */
  readonly toRelayMs: number | null;
  /** Through the relay to the agent and its terminal, measured by input. */
  readonly toAgentMs: number | null;
}

/** A session's screen at one moment, as terminal output, text or HTML. */
export interface TakenSnapshot {
  /** UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly cols: number;
  readonly rows: number;
  /** The snapshot shows the output up to this offset. */
  readonly offset: number;
}

export class WorkspaceClient {
  readonly #connection: Connection;
  readonly #link: SessionLink;
  readonly #requests: Requests;
  readonly #pace: SendPace;
  readonly #listeners = new Set<(change: ClientChange) => void>();
  readonly #sessions = new Map<string, SessionExchange>();
  readonly #toRelay: RoundTrip;
  readonly #toAgent: RoundTrip;
  readonly #probe: AgentProbe;
  readonly #inflate: Inflate;
  #state: ClientState = { name: 'connecting' };
  #role: ClientRole | null = null;
  #theme: Theme | undefined;
  readonly #newsListeners = new Set<(news: SessionNews) => void>();

  constructor(options: ClientOptions) {
    this.#inflate = options.inflate;
    this.#toRelay = new RoundTrip(options.clock, () => this.#changed());
    this.#toAgent = new RoundTrip(options.clock, () => this.#changed());
    this.#probe = new AgentProbe({
      clock: options.clock,
      ask: () => this.#askAgent(),
      changed: () => this.#changed(),
    });
    this.#pace = new SendPace(options.clock, (frame) => this.#connection.send(frame));
    this.#requests = new Requests((message) => this.#connection.send(JSON.stringify(message)));
    this.#link = {
      inflate: options.inflate,
      holds: options.holds ?? (() => {}),
      instance: options.instance,
      clock: options.clock,
      theme: () => (this.#role === 'viewer' ? undefined : this.#theme),
      sendMessage: (message) => this.#connection.send(JSON.stringify(message)),
      sendFrame: (frame) => this.#pace.send(frame),
      newRequest: () => this.#requests.newId(),
      stateChanged: (session) => this.#changed({ of: 'session', session }),
      broken: (error) => this.#broken(error),
      agentAnswered: (roundTripMs) => this.#toAgent.measured(roundTripMs),
      agentLate: () => this.#probe.probe(),
    };
    this.#connection = new Connection({
      dial: options.dial,
      clock: options.clock,
      random: options.random,
      watched: options.watched,
      renewable: options.renewable ?? false,
      stateChanged: (state) => this.#connectionChanged(state),
      received: (frame) => this.#received(frame),
      // The relay answers this itself, for every role.
      question: () => JSON.stringify({ type: 'load_layout', request: this.#link.newRequest() }),
      ...(options.proveAfterMs === undefined ? {} : { proveAfterMs: options.proveAfterMs }),
      answered: (roundTripMs) => {
        this.#toRelay.measured(roundTripMs);
        this.#changed();
      },
    });
  }

  get state(): ClientState {
    return this.#state;
  }

  get statistics(): Statistics {
    return { toRelayMs: this.#toRelay.ms, toAgentMs: this.#toAgent.ms };
  }

  /** Whether an agent reported as online does answer. It is asked when a person comes back, or waits for a key. */
  get agentVerdict(): AgentVerdict {
    return this.#probe.verdict;
  }

  /** What this client may do; null until the relay has said so. */
  get role(): ClientRole | null {
    return this.#role;
  }

  /** Calls `listener` with news about any session, attached or not. Returns a function that removes it. */
  onNews(listener: (news: SessionNews) => void): () => void {
    this.#newsListeners.add(listener);
    return () => this.#newsListeners.delete(listener);
  }

  /** Calls `listener` after every change, with what it is about. Returns a function that removes it. */
  onChange(listener: (change: ClientChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The sessions of the workspace, also while its agent is offline. */
  async list({ lostToo = false } = {}): Promise<SessionInfo[]> {
    const sessions: SessionInfo[] = [];
    let room = LISTED_MAX_SESSIONS;
    const include = lostToo ? ({ include: 'lost' } as const) : {};
    await this.#requests.ask((request) => ({ type: 'list_sessions', request, ...include }), {
      page: (page) => {
        room -= Math.max(1, page.length);
        if (room < 0) throw new ProtocolError(`a list of over ${LISTED_MAX_SESSIONS} sessions`);
        sessions.push(...page);
      },
    });
    return sessions;
  }

  /** Updates directory, title and foreground program of one session, or of all, in the registry. [AG9] */
  async refresh(session?: string): Promise<void> {
    await this.#requests.ask((request) => ({
      type: 'refresh_sessions',
      request,
      ...(session === undefined ? {} : { session }),
    }));
  }

  /** The tabs that a browser of this workspace saved last; null when none did. */
  async loadLayout(): Promise<Layout | null> {
    const answer = await this.#requests.ask((request) => ({ type: 'load_layout', request }));
    if (answer.type !== 'layout') throw new ProtocolError(`load_layout was answered by ${answer.type}`);
    return answer.layout;
  }

  async saveLayout(layout: Layout): Promise<void> {
    await this.#requests.ask((request) => ({ type: 'save_layout', request, layout }));
  }

  /** All clients are told the new name. */
  rename(session: string, name: string): void {
    this.#link.sendMessage({ type: 'rename_session', request: this.#link.newRequest(), session, name });
  }

  async create(options: CreateOptions): Promise<SessionInfo> {
    const theme = this.#theme === undefined ? {} : { theme: this.#theme };
    const answer = await this.#requests.ask((request) => ({
      type: 'create_session',
      request,
      ...theme,
      ...options,
    }));
    if (answer.type !== 'session_created')
      throw new ProtocolError(`create_session was answered by ${answer.type}`);
    return answer.session;
  }

  /** A session's current screen, optionally with the history above it. The session need not be attached. */
  async snapshot(
    id: string,
    format: SnapshotFormat,
    scope: 'screen' | 'all' = 'all',
  ): Promise<TakenSnapshot> {
    let packed: Uint8Array<ArrayBuffer> = new Uint8Array(0);
    const answer = await this.#requests.ask(
      (request) => ({
        type: 'take_snapshot',
        request,
        session: id,
        format,
        ...(scope === 'all' ? {} : { scope }),
      }),
      {
        bytes: (bytes) => {
          packed = bytes;
        },
      },
    );
    if (answer.type !== 'snapshot_taken')
      throw new ProtocolError(`take_snapshot was answered by ${answer.type}`);
    const { cols, rows, handle, offset } = answer;
    // The agent counts the snapshot as on its way until it is acknowledged.
    this.#link.sendFrame(encodeFrame({ kind: 'ack', channel: 0, handle, offset }));
    return { bytes: packed.length === 0 ? packed : await this.#inflate(packed), cols, rows, offset };
  }

  /** Closes a session for everybody; resolves when it is gone. */
  async close(id: string): Promise<void> {
    await this.#requests.ask((request) => ({ type: 'close_session', request, session: id }), { closing: id });
  }

  /** Closes a session after this delay, unless somebody attaches before. [AG8] */
  closeLater(id: string, afterMs: number): void {
    const request = this.#link.newRequest();
    this.#link.sendMessage({ type: 'close_session', request, session: id, afterMs });
  }

  /**
   * Sets the colours of this client's terminals. Programs that query colours get them while this client is the driver.
   * [OU18]
   */
  setTheme(theme: Theme): void {
    if (JSON.stringify(theme) === JSON.stringify(this.#theme)) return;
    this.#theme = theme;
    for (const session of this.#sessions.values()) session.recolour();
  }

  /** Shows a session on `screen`, from now on and after every reconnect. */
  attach(id: string, size: Size | null, screen: Screen, options: AttachOptions = {}): AttachedSession {
    const exchange = new SessionExchange(id, size, screen, this.#link, options);
    this.#sessions.set(id, exchange);
    if (this.#isReachable()) exchange.attach();
    return exchange.session;
  }

  /** The session shown under this id, if any. */
  attached(id: string): AttachedSession | undefined {
    return this.#sessions.get(id)?.session;
  }

  /** Stops showing a session; it keeps running. */
  detach(id: string): void {
    this.#sessions.get(id)?.detached();
    if (this.#sessions.delete(id)) this.#link.sendMessage({ type: 'detach_session', session: id });
  }

  /** The network is back, or a person is looking: reconnects now, or checks that an open connection still works. */
  wake(): void {
    this.#connection.retryNow();
    this.#connection.probe();
    if (this.#isReachable()) this.#probe.probe();
  }

  /** There is another credential: connects with it, even if the previous one was refused. */
  renewed(): void {
    this.#connection.renewed();
  }

  /** The network may be gone: checks the open connection now, instead of at the next heartbeat. */
  probe(): void {
    this.#connection.probe();
  }

  /** Disconnects for good. Sessions keep running. */
  leave(): void {
    this.#connection.close();
  }

  /**
   * A protocol violation by the relay closes the connection for good, because reconnecting would reach the same relay.
   */
  #received(frame: WireFrame): void {
    try {
      this.#deliver(frame);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#broken(error);
    }
  }

  #broken(error: ProtocolError): void {
    this.#connection.close(CLOSE.protocolError, error.message);
  }

  #deliver(frame: WireFrame): void {
    if (typeof frame === 'string') return this.#message(parseServerMessage(frame));
    const data = decodeFrame(frame);
    this.#probe.heard();
    if (this.#requests.takeFrame(data)) return;
    for (const session of this.#sessions.values()) {
      if (session.handle === data.handle) session.receiveFrame(data);
    }
  }

  /** Any request would do; every agent answers this one to every role. */
  #askAgent(): void {
    const session = [...this.#sessions.values()].find(({ state }) => state.name === 'live')?.id;
    this.refresh(session).catch(() => {});
  }

  #message(message: ServerMessage): void {
    if (!FROM_RELAY.has(message.type)) this.#probe.heard();
    if (message.type === 'agent_state') {
      this.#role = message.role ?? this.#role;
      return this.#agentChanged(message.agent);
    }
    if (message.type === 'read_check')
      return void this.#connection.send(JSON.stringify({ type: 'read', mark: message.mark }));
    if (message.type === 'error' && message.code === 'slow_down' && message.request === undefined)
      return this.#pace.slowDown(message.retryAfterMs ?? 0);
    const id = sessionOf(message);
    if (id !== undefined) this.#sessions.get(id)?.receive(message);
    if (isNews(message)) for (const listener of this.#newsListeners) listener(message);
    this.#requests.receive(message);
  }

  /** Handles the first message on every connection, and every change of the agent's link: each is a reconnect. [RL4] */
  #agentChanged(agent: AgentPresence): void {
    // Requests on an earlier link are never answered. Abandon them before the listeners run, because those send new
    // ones.
    if (this.#state.name === 'live' && this.#state.agent.generation !== agent.generation)
      this.#requests.abandon();
    if (agent.state === 'offline') this.#requests.abandon();
    this.#pace.reset();
    this.#probe.reset();
    this.#enter({ name: 'live', agent });
    for (const session of this.#sessions.values()) {
      if (agent.state === 'online') session.attach();
      else session.detached();
    }
  }

  #isReachable(): boolean {
    return this.#state.name === 'live' && this.#state.agent.state === 'online';
  }

  #connectionChanged(state: ConnectionState): void {
    if (state.name === 'open') return; // `live` begins with the relay's first message
    this.#pace.reset();
    this.#probe.reset();
    const since = state.name === 'waiting' ? state.since : undefined;
    for (const session of this.#sessions.values()) session.detached(since);
    this.#requests.abandon();
    if (state.name === 'dialing') this.#enter({ name: 'connecting' });
    if (state.name === 'waiting')
      this.#enter({ name: 'waiting', retryAt: state.retryAt, why: closeSentence(state.code) });
    if (state.name === 'closed') {
      this.#stopMeasuring();
      this.#enter({ name: 'refused', code: state.code, why: state.reason || closeSentence(state.code) });
    }
  }

  #stopMeasuring(): void {
    this.#toRelay.stop();
    this.#toAgent.stop();
  }

  #enter(state: ClientState): void {
    this.#state = state;
    this.#changed();
  }

  #changed(change: ClientChange = { of: 'connection' }): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** Messages that the relay sends itself; an `error` may come from either the relay or the agent. */
const FROM_RELAY: ReadonlySet<ServerMessage['type']> = new Set([
  'agent_state',
  'session_list',
  'layout',
  'read_check',
  'error',
]);

function sessionOf(message: ServerMessage): string | undefined {
  if (!('session' in message) || message.session === undefined) return undefined;
  return typeof message.session === 'string' ? message.session : message.session.id;
}

function isNews(message: ServerMessage): message is SessionNews {
  return (
    message.type === 'session_renamed' ||
    message.type === 'session_closed' ||
    message.type === 'session_exited'
  );
}
