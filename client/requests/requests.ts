/**
 * Pending requests to the relay and the agent. An answer carries the number of its request. A list may come in pages,
 * and the bytes of a snapshot follow its announcement as data frames.
 */

import type { Cancel, Clock } from '../../protocol/clock.ts';
import { ProtocolError, Refusal } from '../../protocol/errors.ts';
import { encodeFrame, type Frame } from '../../protocol/frame.ts';
import { SNAPSHOT_FRAME_WITHIN_MS, SNAPSHOT_MAX_BYTES } from '../../protocol/limits.ts';
import type { ClientMessage, ClientMessageOf } from '../../protocol/messages/client-message.ts';
import type { SessionCommand } from '../../protocol/messages/command-info.ts';
import type { SessionDigest } from '../../protocol/messages/digest.ts';
import type { ServerMessage, ServerMessageOf } from '../../protocol/messages/server-message.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';

/** The message that answers each request. A session's end and its new name are told to everybody, in one message. */
const ANSWERS = {
  list_sessions: 'session_list',
  refresh_sessions: 'sessions_refreshed',
  load_layout: 'layout',
  save_layout: 'layout',
  create_session: 'session_created',
  close_session: 'session_closed',
  rename_session: 'session_renamed',
  resize: 'session_resized',
  take_snapshot: 'snapshot_taken',
  list_commands: 'command_list',
  run_command: 'run_state',
  type_text: 'text_typed',
  signal_session: 'session_signalled',
  await_session: 'session_awaited',
  read_digest: 'digest',
  read_metrics: 'metrics',
} as const satisfies Partial<Record<ClientMessage['type'], ServerMessage['type']>>;

export type RequestType = keyof typeof ANSWERS;
/** A request as a caller writes it; its number is added. */
export type RequestOf<T extends RequestType> = Omit<ClientMessageOf<T>, 'request'> & { readonly type: T };
export type AnswerTo<T extends RequestType> = ServerMessageOf<(typeof ANSWERS)[T]>;

/**
 * The request was sent, and no answer will come: the connection or the agent's link was lost, or the time is up. It is
 * unknown whether the request took effect.
 */
export class NoAnswer extends Refusal {
  constructor(why = 'The connection was lost.') {
    super('agent_offline', why);
  }
}

export interface RequestOptions {
  /** How long to wait for the answer, and for each further part of it. Without it, for as long as the link lasts. */
  readonly withinMs?: number;
  /** Receives a list, which may come in pages. */
  readonly page?: (sessions: readonly SessionInfo[]) => void;
  /** Receives a list of commands, which may come in pages. What it throws ends the request. */
  readonly commands?: (commands: readonly SessionCommand[]) => void;
  /** Receives a digest, which may come in pages. What it throws ends the request. */
  readonly digest?: (sessions: readonly SessionDigest[]) => void;
  /** Told how many bytes follow the answer, before they come. What it throws ends the request. */
  readonly announced?: (bytes: number) => void;
  /** Receives those bytes, in order. The request is pending until the last one. What it throws ends the request. */
  readonly piece?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

interface Pending extends RequestOptions {
  readonly message: ClientMessage & { readonly type: RequestType };
  readonly resolve: (answer: ServerMessage) => void;
  readonly reject: (why: unknown) => void;
  cancel: Cancel;
}

/** A snapshot whose frames are arriving. Its request may have ended meanwhile; the frames still come. */
interface Incoming {
  readonly answer: ServerMessageOf<'snapshot_taken'>;
  received: number;
}

interface RequestSender {
  /** False when not connected. */
  sendMessage(message: ClientMessage): boolean;
  sendFrame(frame: Uint8Array<ArrayBuffer>): void;
}

export class Requests {
  readonly #sender: RequestSender;
  readonly #clock: Clock;
  readonly #pending = new Map<string, Pending>();
  #incoming: Incoming | undefined;
  #last = 0;

  constructor(sender: RequestSender, clock: Clock) {
    this.#sender = sender;
    this.#clock = clock;
  }

  newId(): string {
    return `${++this.#last}`;
  }

  /** Rejects with the refusal of the relay or the agent, or with NoAnswer. */
  ask<T extends RequestType>(message: RequestOf<T>, options: RequestOptions = {}): Promise<AnswerTo<T>> {
    const request = this.newId();
    const numbered = { ...message, request } as unknown as Pending['message'];
    return new Promise((resolve, reject) => {
      const pending = { ...options, message: numbered, resolve, reject, cancel: () => {} } as Pending;
      this.#pending.set(request, pending);
      this.#waitFor(request, pending, options.withinMs);
      // Nothing was sent, so the outcome is known.
      if (!this.#sender.sendMessage(numbered))
        this.#fail(request, new Refusal('agent_offline', 'The connection was lost.'));
    });
  }

  /** The connection was lost, so pending requests will not be answered. */
  abandon(): void {
    this.#incoming = undefined;
    for (const request of [...this.#pending.keys()]) this.#fail(request, new NoAnswer());
  }

  receive(message: ServerMessage): void {
    for (const [request, pending] of this.#pending) {
      if (isAnswer(message, request, pending)) this.#answered(request, pending, message);
    }
  }

  /**
   * Whether the frame belonged to a snapshot. They follow its answer directly, so none of them is an attached
   * session's.
   */
  takeFrame({ kind, handle, offset, payload }: Frame): boolean {
    const incoming = this.#incoming;
    if (kind !== 'snapshot' || incoming === undefined || handle !== incoming.answer.handle) return false;
    const { request, bytes } = incoming.answer;
    if (offset !== incoming.received || offset + payload.length > bytes)
      throw new ProtocolError(`a piece of a snapshot at ${offset}, where ${incoming.received} was due`);
    if (payload.length === 0) throw new ProtocolError('a piece of a snapshot without bytes');
    incoming.received += payload.length;
    const pending = this.#pending.get(request);
    if (pending !== undefined) {
      this.#give(request, () => pending.piece?.(payload));
      this.#waitFor(request, pending, pending.withinMs === undefined ? undefined : SNAPSHOT_FRAME_WITHIN_MS);
    }
    if (incoming.received === bytes) this.#snapshotTaken(incoming.answer);
    return true;
  }

  #answered(request: string, pending: Pending, message: ServerMessage): void {
    const { type } = pending.message;
    if (message.type === 'error') return this.#fail(request, new Refusal(message.code, message.message));
    if (message.type !== ANSWERS[type])
      return this.#fail(request, new ProtocolError(`${type} was answered by ${message.type}`));
    if (message.type === 'session_list') {
      pending.page?.(message.sessions);
      if (message.more) return this.#waitFor(request, pending, pending.withinMs);
    }
    if (message.type === 'command_list') {
      this.#give(request, () => pending.commands?.(message.commands));
      if (message.more) return this.#waitFor(request, pending, pending.withinMs);
    }
    if (message.type === 'digest') {
      this.#give(request, () => pending.digest?.(message.sessions));
      if (message.more) return this.#waitFor(request, pending, pending.withinMs);
    }
    if (message.type === 'snapshot_taken') return this.#snapshotBegins(request, pending, message);
    this.#settle(request)?.resolve(message);
  }

  #snapshotBegins(request: string, pending: Pending, answer: ServerMessageOf<'snapshot_taken'>): void {
    this.#give(request, () => pending.announced?.(answer.bytes));
    if (answer.bytes > SNAPSHOT_MAX_BYTES) throw new ProtocolError(`a snapshot of ${answer.bytes} bytes`);
    this.#incoming = { answer, received: 0 };
    if (answer.bytes === 0) return this.#snapshotTaken(answer);
    const isPending = this.#pending.has(request);
    if (isPending && pending.withinMs !== undefined)
      this.#waitFor(request, pending, SNAPSHOT_FRAME_WITHIN_MS);
  }

  #snapshotTaken(answer: ServerMessageOf<'snapshot_taken'>): void {
    this.#incoming = undefined;
    const { request, handle, offset } = answer;
    // The agent counts the snapshot as on its way until it is acknowledged.
    this.#sender.sendFrame(encodeFrame({ kind: 'ack', channel: 0, handle, offset }));
    this.#settle(request)?.resolve(answer);
  }

  /** Passes a part of an answer on to the caller. */
  #give(request: string, pass: () => void): void {
    try {
      pass();
    } catch (error) {
      this.#fail(request, error);
    }
  }

  #waitFor(request: string, pending: Pending, withinMs: number | undefined): void {
    pending.cancel();
    if (withinMs === undefined || this.#pending.get(request) !== pending) return;
    pending.cancel = this.#clock.after(withinMs, () =>
      this.#fail(request, new NoAnswer('There was no answer in time.')),
    );
  }

  #fail(request: string, why: unknown): void {
    this.#settle(request)?.reject(why);
  }

  #settle(request: string): Pending | undefined {
    const pending = this.#pending.get(request);
    pending?.cancel();
    this.#pending.delete(request);
    return pending;
  }
}

function isAnswer(message: ServerMessage, request: string, { message: asked }: Pending): boolean {
  if ('request' in message) return message.request === request;
  const isTold = message.type === 'session_closed' || message.type === 'session_renamed';
  return (
    isTold && message.type === ANSWERS[asked.type] && 'session' in asked && message.session === asked.session
  );
}
