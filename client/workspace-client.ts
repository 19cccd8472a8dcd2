/**
 * A client of one workspace: keeps the connection open, sends requests, and attaches sessions. It uses neither the DOM
 * nor Node; the page, the command line and the Worker's API each supply a `dial` and a clock.
 */
import type { Size } from '../protocol/frame.ts';
import type { SessionCommand } from '../protocol/messages/command-info.ts';
import type { Layout, SnapshotFormat, Theme } from '../protocol/messages/message-parts.ts';
import type { ServerMessage, ServerMessageOf } from '../protocol/messages/server-message.ts';
import type { SessionInfo } from '../protocol/messages/session-info.ts';
import type { ClientRole } from '../protocol/roles.ts';
import type { ClientAccess } from './access/client-access.ts';
import type { AgentVerdict } from './agent-probe.ts';
import type { AttachedSession, AttachOptions } from './attached-session.ts';
import { Attachments } from './attachments.ts';
import type { ClientChange } from './client-change.ts';
import { People } from './people.ts';
import { AssistantRequests } from './requests/assistant-requests.ts';
import { Requests } from './requests/requests.ts';
import type { Screen } from './screen.ts';
import { SessionExchange } from './session-exchange.ts';
import type { Inflate, SessionLink } from './session-link.ts';
import { type ClientState, type LinkOptions, type Statistics, WorkspaceLink } from './workspace-link.ts';
import {
  type CreateOptions,
  type ListOptions,
  type TakenSnapshot,
  WorkspaceRequests,
} from './workspace-requests.ts';

export type { ClientState, Statistics } from './workspace-link.ts';
export type { CreateOptions, TakenSnapshot } from './workspace-requests.ts';

export interface ClientOptions extends LinkOptions {
  readonly inflate: Inflate;
  /** Random, and new for every page load: a duplicated tab must not count as the same instance. */
  readonly instance: string;
  /**
   * Receives how many more bytes this client holds for its screens, or fewer if negative. If it throws a ProtocolError,
   * the client leaves. Without it, each session has its own limit, but there is none for all of them together.
   */
  readonly holds?: (bytes: number) => void;
  /** Asks to be told who watches the sessions, from the first attach on: `people`. */
  readonly asksPeople?: boolean;
}

/** News about a session that every connected client gets. */
export type SessionNews = ServerMessageOf<'session_renamed' | 'session_closed' | 'session_exited'>;

export class WorkspaceClient {
  /** Requests of any kind, with a time limit, and input that is typed exactly once. */
  readonly requests: WorkspaceRequests;
  /** What programs do with sessions for people: run commands, type, wait. */
  readonly assistant: AssistantRequests;
  /** What this client may do. */
  readonly access: ClientAccess;
  /** Who watches the sessions, if this client asks for it. */
  readonly people: People;
  readonly #link: WorkspaceLink;
  readonly #attachments = new Attachments();
  readonly #sessionLink: SessionLink;
  readonly #listeners = new Set<(change: ClientChange) => void>();
  readonly #newsListeners = new Set<(news: SessionNews) => void>();
  #theme: Theme | undefined;

  constructor(options: ClientOptions) {
    const attachments = this.#attachments;
    const pending = new Requests(
      {
        sendMessage: (message) => this.#link.sendMessage(message),
        sendFrame: (frame) => this.#link.sendFrame(frame),
      },
      options.clock,
    );
    const changed = (change: ClientChange) => {
      for (const listener of this.#listeners) listener(change);
    };
    this.#sessionLink = {
      inflate: options.inflate,
      holds: options.holds ?? (() => {}),
      instance: options.instance,
      asksPeople: options.asksPeople === true,
      clock: options.clock,
      theme: () => (this.role === 'viewer' ? undefined : this.#theme),
      sendMessage: (message) => void this.#link.sendMessage(message),
      sendFrame: (frame) => this.#link.sendFrame(frame),
      newRequest: () => pending.newId(),
      stateChanged: (session) => changed({ of: 'session', session }),
      broken: (error) => this.#link.broken(error),
      agentAnswered: (roundTripMs) => this.#link.agentAnswered(roundTripMs),
      agentLate: () => this.#link.probeAgent(),
    };
    const agentState = () => this.#link.agentState;
    const listsCommands = () => this.state.name !== 'live' || this.state.agent.listsCommands === true;
    const repeats = {
      clock: options.clock,
      agent: () => {
        const { epoch = null, can = [] } = this.state.name === 'live' ? this.state.agent : {};
        return { state: agentState(), epoch, can };
      },
      onChange: (listener: () => void) => this.onChange(listener),
    };
    const link = this.#sessionLink;
    this.people = new People((session) => changed({ of: 'people', session }));
    this.assistant = new AssistantRequests(pending, repeats);
    this.requests = new WorkspaceRequests({ pending, attachments, link, agentState, listsCommands, repeats });
    this.#link = new WorkspaceLink(options, {
      newRequest: () => pending.newId(),
      // Any request would do; every agent answers this one to every role.
      askAgent: () => this.refresh(attachments.anyLive).catch(() => {}),
      abandoned: () => pending.abandon(),
      agentChanged: (isOnline) => (isOnline ? attachments.attachAll() : attachments.agentLeft()),
      connectionLost: (since, isForGood) => {
        attachments.connectionLost(since, isForGood);
        this.people.forget();
      },
      changed: () => changed({ of: 'connection' }),
      message: (message) => {
        attachments.receive(message);
        this.people.receive(message);
        if (isNews(message)) for (const listener of this.#newsListeners) listener(message);
        pending.receive(message);
      },
      frame: (frame) => {
        if (!pending.takeFrame(frame)) attachments.receiveFrame(frame);
      },
    });
    this.access = this.#link.access;
  }

  get state(): ClientState {
    return this.#link.state;
  }

  get statistics(): Statistics {
    return this.#link.statistics;
  }

  /** Whether an agent reported as online does answer. It is asked when a person comes back, or waits for a key. */
  get agentVerdict(): AgentVerdict {
    return this.#link.agentVerdict;
  }

  /** What this client may do; null until the relay has said so. */
  get role(): ClientRole | null {
    return this.access.role;
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

  /** The sessions of the workspace, or one of them, also while its agent is offline. */
  list(options: ListOptions = {}): Promise<SessionInfo[]> {
    return this.requests.list(options);
  }

  /** Updates directory, title and foreground program of one session, or of all, in the registry. [AG9] */
  refresh(session?: string): Promise<void> {
    return this.requests.refresh(session);
  }

  /** The tabs that a browser of this workspace saved last; null when none did. */
  loadLayout(): Promise<Layout | null> {
    return this.requests.loadLayout();
  }

  saveLayout(layout: Layout): Promise<void> {
    return this.requests.saveLayout(layout);
  }

  /** All clients are told the new name. */
  rename(session: string, name: string): void {
    this.requests.rename(session, name);
  }

  create(options: CreateOptions): Promise<SessionInfo> {
    return this.requests.create({ ...(this.#theme === undefined ? {} : { theme: this.#theme }), ...options });
  }

  /** A session's current screen, optionally with the history above it. The session need not be attached. */
  snapshot(id: string, format: SnapshotFormat, scope: 'screen' | 'all' = 'all'): Promise<TakenSnapshot> {
    return this.requests.snapshot(id, format, { scope });
  }

  /** The last commands of a session, oldest first, as its shell has told them. */
  commands(id: string): Promise<SessionCommand[]> {
    return this.requests.commands(id);
  }

  /** What the command with this number printed. */
  commandOutput(id: string, command: number, format: SnapshotFormat): Promise<TakenSnapshot> {
    return this.requests.snapshot(id, format, { command });
  }

  /** Closes a session for everybody; resolves when it is gone. */
  close(id: string): Promise<void> {
    return this.requests.close(id);
  }

  /** Closes a session after this delay, unless somebody attaches before. [AG8] */
  closeLater(id: string, afterMs: number): void {
    this.requests.closeLater(id, afterMs);
  }

  /**
   * Sets the colours of this client's terminals. Programs that query colours get them while this client is the driver.
   * [OU18]
   */
  setTheme(theme: Theme): void {
    if (JSON.stringify(theme) === JSON.stringify(this.#theme)) return;
    this.#theme = theme;
    this.#attachments.recolour();
  }

  /** Shows a session on `screen`, from now on and after every reconnect. */
  attach(id: string, size: Size | null, screen: Screen, options: AttachOptions = {}): AttachedSession {
    const exchange = new SessionExchange(id, size, screen, this.#sessionLink, options);
    this.#attachments.show(exchange);
    if (this.#link.agentState === 'online') exchange.attach();
    return exchange.session;
  }

  /** The session shown under this id, if any. */
  attached(id: string): AttachedSession | undefined {
    return this.#attachments.get(id)?.session;
  }

  /** Stops showing a session; it keeps running. */
  detach(id: string): void {
    if (this.#attachments.remove(id)) this.#link.sendMessage({ type: 'detach_session', session: id });
  }

  /** The network is back, or a person is looking: reconnects now, or checks that an open connection still works. */
  wake(): void {
    this.#link.wake();
  }

  /** There is another credential: connects with it, even if the previous one was refused. */
  renewed(): void {
    this.#link.renewed();
  }

  /** The network may be gone: checks the open connection now, instead of at the next heartbeat. */
  probe(): void {
    this.#link.probeRelay();
  }

  /** Disconnects for good. Sessions keep running. */
  leave(): void {
    this.#link.leave();
  }
}

function isNews(message: ServerMessage): message is SessionNews {
  return (
    message.type === 'session_renamed' ||
    message.type === 'session_closed' ||
    message.type === 'session_exited'
  );
}
