/**
 * The agent's half of the conversation with the relay: takes what clients ask for, and puts what sessions say
 * onto the link, in order. Knows neither sockets nor processes.
 */
import type { WireFrame } from '../protocol/connection.ts';
import { ProtocolError, Refusal } from '../protocol/errors.ts';
import { CHANNEL_ALL, decodeFrame, encodeFrame, encodeSize, type Frame } from '../protocol/frame.ts';
import { INVENTORY_PAGE_SESSIONS, PAYLOAD_MAX_BYTES, PROTOCOL_VERSION } from '../protocol/limits.ts';
import {
  type AgentMessage,
  type ClientMessage,
  type ClientMessageOf,
  type ClientRole,
  parseRelayMessage,
  type RelayMessage,
  type ServerMessage,
} from '../protocol/messages.ts';
import { DebtWatch } from './debt-watch.ts';
import type { Session } from './session.ts';
import { type ManagerEvents, type ManagerOptions, SessionManager } from './session-manager.ts';

export interface AgentOptions extends Omit<ManagerOptions, 'events'> {
  /** Puts a frame on the link; dropped while the link is down, resuming by offset makes up for it. */
  readonly send: (frame: WireFrame) => void;
}

/** What a viewer may ask for: it watches, and changes nothing. [RL7] */
const FOR_VIEWERS: ReadonlySet<ClientMessage['type']> = new Set(['reattach_session', 'detach_session']);

export class Agent {
  readonly sessions: SessionManager;
  readonly #send: (frame: WireFrame) => void;
  readonly #graceMs: number;
  readonly #debts: DebtWatch;
  /** Of this link, as the relay counts; what carries a lower one was said to an earlier link. [RL10] */
  #generation = 0;

  constructor({ send, ...options }: AgentOptions) {
    this.#send = send;
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
    this.#generation = 0;
    this.sessions.linkOpened();
    const grace = this.#graceMs > 0 ? { graceMs: this.#graceMs } : {};
    const all = this.sessions.list().map((session) => session.info);
    const pages = Math.max(1, Math.ceil(all.length / INVENTORY_PAGE_SESSIONS));
    for (let page = 0; page < pages; page++) {
      const sessions = all.slice(page * INVENTORY_PAGE_SESSIONS, (page + 1) * INVENTORY_PAGE_SESSIONS);
      const more = page + 1 < pages;
      const { epoch } = this.sessions;
      if (page === 0)
        this.#tell({ type: 'hello', version: PROTOCOL_VERSION, epoch, sessions, more, ...grace });
      else this.#tell({ type: 'inventory', sessions, more });
    }
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
        case 'detach_session':
          return this.#detach(channel, message.session);
        case 'close_session':
          return this.sessions.close(this.sessions.find(message.session), 'closed');
        case 'rename_session':
          return this.#rename(message);
        case 'resize':
          return this.sessions.find(message.session).resize(message);
        case 'list_sessions':
        case 'load_layout':
        case 'save_layout':
          throw new ProtocolError(`the relay answers ${message.type} itself`);
      }
    });
  }

  #create(channel: number, message: ClientMessageOf<'create_session'>): void {
    const { cols, rows } = message;
    const session = this.sessions.create({ ...message, size: { cols, rows } });
    this.#reply(channel, { type: 'session_created', request: message.request, session: session.info });
  }

  /** Confirm, replay, subscribe, in the one ordered stream: live output begins where the replay ends. [OU1] */
  #reattach(channel: number, role: ClientRole, message: ClientMessageOf<'reattach_session'>): void {
    const session = this.sessions.find(message.session);
    if (session.exit !== null && message.exited !== 'read') {
      throw new Refusal('session_exited', 'The program of this session has ended.');
    }
    const { handle, id } = session.identity;
    this.#tell({ type: 'unsubscribe', channel, handle });
    if (role === 'operator' && session.isUnwatchedBut(channel)) session.resize(message);
    const sameLife = message.epoch === undefined || message.epoch === this.sessions.epoch;
    const wanted = (sameLife && message.from) || 0;
    const { from, to, lost, bytes } = session.attach({ channel, role, instance: message.instance }, wanted);
    this.#reply(channel, {
      type: 'session_reattached',
      request: message.request,
      session: session.info,
      handle,
      inputOffset: session.inputTaken(message.instance),
    });
    this.#reply(channel, {
      type: 'scrollback',
      session: id,
      handle,
      kind: 'delta',
      from,
      to,
      lost,
      ...session.size,
    });
    for (let at = 0; at < bytes.length; at += PAYLOAD_MAX_BYTES) {
      const piece = bytes.subarray(at, at + PAYLOAD_MAX_BYTES);
      this.#send(encodeFrame({ kind: 'output', channel, handle, offset: from + at }, piece));
    }
    this.#tell({ type: 'subscribe', channel, handle });
    if (session.exit !== null) this.#reply(channel, exitedMessage(session, session.end));
  }

  #detach(channel: number, id: string): void {
    const session = this.sessions.find(id);
    this.#tell({ type: 'unsubscribe', channel, handle: session.identity.handle });
    session.detach(channel);
  }

  #rename({ session, name }: ClientMessageOf<'rename_session'>): void {
    const given = this.sessions.rename(this.sessions.find(session), name);
    this.#tell({ type: 'to_clients', message: { type: 'session_renamed', session, name: given } });
  }

  /** One place where a refusal becomes the answer to whoever asked. */
  #answering(
    channel: number,
    asked: { readonly request?: string; readonly session?: string },
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
      output: ({ identity: { handle } }, offset, bytes) => {
        this.#send(encodeFrame({ kind: 'output', channel: CHANNEL_ALL, handle, offset }, bytes));
        this.#debts.sent();
      },
      resized: ({ identity: { handle } }, offset, size) =>
        this.#send(encodeFrame({ kind: 'resize', channel: CHANNEL_ALL, handle, offset }, encodeSize(size))),
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
    this.#send(JSON.stringify(message));
  }
}

function exitedMessage(session: Session, offset: number): ServerMessage {
  const { code = null, signal = null } = session.exit ?? {};
  return { type: 'session_exited', session: session.identity.id, exitCode: code, signal, offset };
}
