/**
 * The relay and one client of it, played towards an agent: enough to make sessions, watch them, type, and
 * acknowledge what was printed. It costs next to nothing, so that what is measured is the agent.
 */
import type { WebSocket } from 'ws';
import { decodeHeader, encodeFrame, HEADER_BYTES } from '../protocol/frame.ts';
import { ACK_EVERY_BYTES, ACK_QUIET_MS } from '../protocol/limits.ts';
import type { ClientMessage, ServerMessage, ServerMessageOf } from '../protocol/messages.ts';
import { within } from './deadline.ts';
import { type Program, Terminal } from './terminal.ts';

const CHANNEL = 7;
const INSTANCE = 'bench';
const SIZE = { cols: 120, rows: 40 };

type Told =
  | { readonly type: 'to_client'; readonly message: ServerMessage }
  | { readonly type: 'ask_presence'; readonly question: string }
  | { readonly type: 'hello' | 'subscribe' | 'session_changed' };

export class ScriptedRelay {
  readonly #socket: WebSocket;
  readonly #watched = new Map<number, WatchedSession>();
  readonly #waiting = new Map<string, (message: ServerMessage) => void>();
  #requests = 0;
  frames = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      this.frames++;
      if (isBinary) this.#frame(data as Buffer<ArrayBuffer>);
      else this.#text(data.toString());
    });
  }

  /** A session nobody watches; its id. */
  async create({ command, args }: Program): Promise<string> {
    const { session } = await this.#ask<'session_created'>({
      type: 'create_session',
      request: this.#request(),
      command,
      args: [...args],
      ...SIZE,
    });
    return session.id;
  }

  async attach(session: string): Promise<Terminal> {
    const { handle } = await this.#ask<'session_reattached'>({
      type: 'reattach_session',
      request: this.#request(),
      session,
      instance: INSTANCE,
      ...SIZE,
    });
    const watched = this.#watched.get(handle);
    if (watched === undefined) throw new Error('invariant: whoever is attached is watched');
    return watched.terminal;
  }

  #request(): string {
    return `r${this.#requests++}`;
  }

  async #ask<T extends ServerMessage['type']>(
    message: Extract<ClientMessage, { request: string }>,
  ): Promise<ServerMessageOf<T>> {
    const answer = new Promise<ServerMessage>((resolve) => this.#waiting.set(message.request, resolve));
    this.#tell({ type: 'from_client', channel: CHANNEL, role: 'operator', message });
    const given = await within(`an answer to ${message.type}`, answer);
    if (given.type === 'error') throw new Error(`the agent refused: ${given.message}`);
    return given as ServerMessageOf<T>;
  }

  #tell(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #text(text: string): void {
    if (text === 'ping') {
      this.#socket.send('pong');
      return;
    }
    const told = JSON.parse(text) as Told;
    const presence = { type: 'presence', generation: 1, clients: [{ channel: CHANNEL, role: 'operator' }] };
    if (told.type === 'hello') this.#tell(presence);
    if (told.type === 'ask_presence') this.#tell({ ...presence, question: told.question });
    if (told.type === 'to_client') this.#answered(told.message);
  }

  /** Watches at once: the replay may come in the same packet as the answer. */
  #answered(message: ServerMessage): void {
    if (message.type === 'session_reattached') {
      const { handle } = message;
      this.#watched.set(handle, new WatchedSession(handle, (frame) => this.#socket.send(frame)));
    }
    if (!('request' in message)) return;
    const { request = '' } = message;
    this.#waiting.get(request)?.(message);
    this.#waiting.delete(request);
  }

  #frame(bytes: Buffer<ArrayBuffer>): void {
    const { kind, handle, offset } = decodeHeader(bytes);
    if (kind === 'output') this.#watched.get(handle)?.received(offset, bytes.subarray(HEADER_BYTES));
  }
}

/** Acknowledges like a page whose terminal is never busy. */
class WatchedSession {
  readonly #handle: number;
  readonly #send: (frame: Uint8Array) => void;
  #typed = 0;
  #received = 0;
  #acknowledged = 0;
  #quiet: NodeJS.Timeout | undefined;
  readonly terminal = new Terminal((bytes) => this.#type(bytes));

  constructor(handle: number, send: (frame: Uint8Array) => void) {
    this.#handle = handle;
    this.#send = send;
  }

  received(offset: number, bytes: Uint8Array): void {
    this.#received = offset + bytes.length;
    if (this.#received - this.#acknowledged >= ACK_EVERY_BYTES) this.#acknowledge();
    this.#quiet ??= setTimeout(() => this.#acknowledge(), ACK_QUIET_MS);
    this.terminal.print(bytes);
  }

  #type(bytes: Uint8Array): void {
    const header = { kind: 'input', channel: CHANNEL, handle: this.#handle, offset: this.#typed } as const;
    this.#typed += bytes.length;
    this.#send(encodeFrame(header, bytes));
  }

  #acknowledge(): void {
    clearTimeout(this.#quiet);
    this.#quiet = undefined;
    this.#acknowledged = this.#received;
    this.#send(encodeFrame({ kind: 'ack', channel: CHANNEL, handle: this.#handle, offset: this.#received }));
  }
}
