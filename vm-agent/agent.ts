/**
 * The agent's half of the conversation with the relay: takes what clients ask for, keeps the sessions, and
 * puts what sessions say onto the link, in order. Knows neither sockets nor processes.
 */
import type { Clock } from '../protocol/clock.ts';
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
import { newHandle, newId } from './ids.ts';
import { printable } from './printable.ts';
import type { SpawnPty, SpawnSpec } from './pty.ts';
import { Session, type SessionEvents } from './session.ts';

export interface AgentOptions {
  readonly spawn: SpawnPty;
  readonly clock: Clock;
  readonly historyBytes: number;
  readonly maxSessions: number;
  /** Shell, directory and environment of a session that asks for nothing else. */
  readonly defaults: {
    readonly command: string;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  };
  /** Puts a frame on the link; dropped while the link is down, resuming by offset makes up for it. */
  readonly send: (frame: WireFrame) => void;
}

export class Agent {
  readonly epoch = newId();
  readonly #options: AgentOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #byHandle = new Map<number, Session>();
  /** Asked to go; removed when their program has ended. */
  readonly #closing = new Set<Session>();
  #whenDrained: () => void = () => {};

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  get sessions(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  /** A new link knows nobody: say who we are and what runs, and let everybody attach again. [AG1] */
  linkOpened(): void {
    for (const session of this.#sessions.values()) session.detachAll();
    const all = this.sessions.map((session) => session.info);
    const pages = Math.max(1, Math.ceil(all.length / INVENTORY_PAGE_SESSIONS));
    for (let page = 0; page < pages; page++) {
      const sessions = all.slice(page * INVENTORY_PAGE_SESSIONS, (page + 1) * INVENTORY_PAGE_SESSIONS);
      const more = page + 1 < pages;
      if (page === 0)
        this.#tell({ type: 'hello', version: PROTOCOL_VERSION, epoch: this.epoch, sessions, more });
      else this.#tell({ type: 'inventory', sessions, more });
    }
  }

  /** Throws a ProtocolError for what no relay of ours would send. */
  received(frame: WireFrame): void {
    if (typeof frame === 'string') this.#control(parseRelayMessage(frame));
    else this.#data(decodeFrame(frame));
  }

  /** Ends every session; resolves when all have ended, or after `withinMs`. */
  drain(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(withinMs, resolve);
      this.#whenDrained = () => {
        if (this.sessions.some((session) => session.exit === null)) return;
        cancel();
        resolve();
      };
      for (const session of this.#sessions.values()) session.close();
      this.#whenDrained();
    });
  }

  // ── From the relay ───────────────────────────────────────────────────────────────────────────────

  #control(message: RelayMessage): void {
    switch (message.type) {
      case 'from_client':
        this.#request(message.channel, message.role, message.message);
        return;
      case 'client_dropped':
        this.#dropped(message.channel);
        return;
      case 'presence':
        return;
    }
  }

  #data(frame: Frame): void {
    const session = this.#byHandle.get(frame.handle);
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

  #dropped(channel: number): void {
    for (const session of this.#sessions.values()) {
      if (session.detach(channel)) this.#changed(session);
    }
  }

  #request(channel: number, role: ClientRole, message: ClientMessage): void {
    this.#answering(channel, message, () => {
      const mayChange =
        role === 'operator' || message.type === 'reattach_session' || message.type === 'detach_session';
      if (!mayChange) throw new Refusal('forbidden', 'This link is for watching only.');
      switch (message.type) {
        case 'create_session':
          return this.#create(channel, message);
        case 'reattach_session':
          return this.#reattach(channel, role, message);
        case 'detach_session':
          return this.#detach(channel, message.session);
        case 'close_session':
          return this.#close(this.#find(message.session));
        case 'rename_session':
          return this.#rename(message);
        case 'resize':
          return this.#find(message.session).resize(message);
        case 'list_sessions':
          throw new ProtocolError('the relay answers list_sessions itself');
      }
    });
  }

  #create(channel: number, message: ClientMessageOf<'create_session'>): void {
    if (this.#sessions.size >= this.#options.maxSessions) {
      throw new Refusal(
        'session_limit',
        `This machine allows ${this.#options.maxSessions} sessions; close one first.`,
      );
    }
    const session = this.#open(message);
    this.#sessions.set(session.identity.id, session);
    this.#byHandle.set(session.identity.handle, session);
    this.#changed(session);
    this.#reply(channel, { type: 'session_created', request: message.request, session: session.info });
  }

  #open(message: ClientMessageOf<'create_session'>): Session {
    const { clock, defaults, historyBytes, spawn } = this.#options;
    const spec: SpawnSpec = {
      command: message.command ?? defaults.command,
      args: message.args ?? [],
      cwd: message.cwd ?? defaults.cwd,
      env: { ...defaults.env, ...message.env },
      size: { cols: message.cols, rows: message.rows },
    };
    const identity = {
      id: newId(),
      handle: newHandle((handle) => this.#byHandle.has(handle)),
      epoch: this.epoch,
      key: message.key ?? null,
      name: printable(message.name ?? '') || `Terminal ${this.#sessions.size + 1}`,
    };
    return new Session(identity, spec, { spawn, clock, historyBytes, events: this.#sessionEvents });
  }

  /** Confirm, replay, subscribe, in the one ordered stream: live output begins where the replay ends. [OU1] */
  #reattach(channel: number, role: ClientRole, message: ClientMessageOf<'reattach_session'>): void {
    const session = this.#find(message.session);
    const { handle, id } = session.identity;
    this.#tell({ type: 'unsubscribe', channel, handle });
    const sameLife = message.epoch === undefined || message.epoch === this.epoch;
    if (role === 'operator' && session.isUnwatchedBut(channel)) session.resize(message);
    const replay = session.attach(
      { channel, role, instance: message.instance },
      (sameLife && message.from) || 0,
    );
    this.#changed(session);
    this.#reply(channel, {
      type: 'session_reattached',
      request: message.request,
      session: session.info,
      handle,
      inputOffset: session.inputTaken(message.instance),
    });
    const { from, to, lost, bytes } = replay;
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
      this.#options.send(encodeFrame({ kind: 'output', channel, handle, offset: from + at }, piece));
    }
    this.#tell({ type: 'subscribe', channel, handle });
    if (session.exit !== null) this.#reply(channel, exitedMessage(session, session.end));
  }

  #detach(channel: number, id: string): void {
    const session = this.#find(id);
    this.#tell({ type: 'unsubscribe', channel, handle: session.identity.handle });
    if (session.detach(channel)) this.#changed(session);
  }

  /** Ends the program if it runs; the session is gone once it has. */
  #close(session: Session): void {
    this.#closing.add(session);
    if (session.exit === null) session.close();
    else this.#remove(session);
  }

  #remove(session: Session): void {
    const { handle, id } = session.identity;
    this.#closing.delete(session);
    this.#sessions.delete(id);
    this.#byHandle.delete(handle);
    this.#tell({ type: 'session_gone', session: id });
    this.#tell({ type: 'to_clients', message: { type: 'session_closed', session: id } });
  }

  #rename(message: ClientMessageOf<'rename_session'>): void {
    const session = this.#find(message.session);
    const name = printable(message.name);
    if (name === '') throw new Refusal('bad_request', 'A name needs at least one visible character.');
    session.rename(name);
    this.#changed(session);
    this.#tell({ type: 'to_clients', message: { type: 'session_renamed', session: message.session, name } });
  }

  #find(id: string): Session {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Refusal('session_missing', 'This session does not exist any more.');
    return session;
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

  readonly #sessionEvents: SessionEvents = {
    output: ({ identity: { handle } }, offset, bytes) =>
      this.#options.send(encodeFrame({ kind: 'output', channel: CHANNEL_ALL, handle, offset }, bytes)),
    resized: ({ identity: { handle } }, offset, size) =>
      this.#options.send(
        encodeFrame({ kind: 'resize', channel: CHANNEL_ALL, handle, offset }, encodeSize(size)),
      ),
    inputTaken: ({ identity: { handle } }, channel, offset) =>
      this.#options.send(encodeFrame({ kind: 'ack', channel, handle, offset })),
    exited: (session, offset) => {
      this.#changed(session);
      this.#tell({ type: 'to_clients', message: exitedMessage(session, offset) });
      if (this.#closing.has(session)) this.#remove(session);
      this.#whenDrained();
    },
  };

  #changed(session: Session): void {
    this.#tell({ type: 'session_changed', session: session.info });
  }

  #reply(channel: number, message: ServerMessage): void {
    this.#tell({ type: 'to_client', channel, message });
  }

  #tell(message: AgentMessage): void {
    this.#options.send(JSON.stringify(message));
  }
}

function exitedMessage(session: Session, offset: number): ServerMessage {
  const { code = null, signal = null } = session.exit ?? {};
  return { type: 'session_exited', session: session.identity.id, exitCode: code, signal, offset };
}
