/**
 * Pending requests to the relay and the agent. An answer carries the number of its request. A list may come in pages,
 * and the bytes of a snapshot follow its announcement as data frames.
 */

import type { ClientMessage } from '../protocol/client-message.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Frame } from '../protocol/frame.ts';
import type { ServerMessage, ServerMessageOf } from '../protocol/server-message.ts';
import type { SessionInfo } from '../protocol/session-info.ts';
import { IncomingSnapshot } from './incoming-snapshot.ts';

interface ExpectedAnswer {
  /** A session whose end is the answer. It is announced to everybody in one message, which names no request. */
  readonly closing?: string;
  /** Receives a list, which may come in pages. */
  readonly page?: (sessions: readonly SessionInfo[]) => void;
  /**
   * Receives the bytes of a snapshot, which follow the answer. The request is pending until the last byte has arrived.
   */
  readonly bytes?: (bytes: Uint8Array<ArrayBuffer>) => void;
}

/** A snapshot whose frames are arriving. */
interface Incoming {
  readonly answer: ServerMessageOf<'snapshot_taken'>;
  readonly snapshot: IncomingSnapshot;
}

interface Pending extends ExpectedAnswer {
  readonly resolve: (answer: ServerMessage) => void;
  readonly reject: (why: Refusal) => void;
}

export class Requests {
  readonly #send: (message: ClientMessage) => boolean;
  readonly #pending = new Map<string, Pending>();
  #incoming: Incoming | undefined;
  #last = 0;

  /** `send` returns false when not connected. */
  constructor(send: (message: ClientMessage) => boolean) {
    this.#send = send;
  }

  newId(): string {
    return `${++this.#last}`;
  }

  ask(compose: (request: string) => ClientMessage, expected: ExpectedAnswer = {}): Promise<ServerMessage> {
    const request = this.newId();
    return new Promise((resolve, reject) => {
      this.#pending.set(request, { resolve, reject, ...expected });
      if (!this.#send(compose(request))) this.abandon();
    });
  }

  /** The connection was lost, so pending requests will not be answered. */
  abandon(): void {
    this.#incoming = undefined;
    for (const { reject } of this.#pending.values())
      reject(new Refusal('agent_offline', 'The connection was lost.'));
    this.#pending.clear();
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
  takeFrame(frame: Frame): boolean {
    const incoming = this.#incoming;
    if (frame.kind !== 'snapshot' || frame.handle !== incoming?.answer.handle) return false;
    if (incoming.snapshot.add(frame.offset, frame.payload)) this.#snapshotTaken(incoming);
    return true;
  }

  #answered(request: string, pending: Pending, message: ServerMessage): void {
    if (message.type === 'session_list') {
      pending.page?.(message.sessions);
      if (message.more) return;
    }
    if (message.type === 'snapshot_taken' && message.bytes > 0) {
      const { bytes, offset, cols, rows } = message;
      this.#incoming = { answer: message, snapshot: new IncomingSnapshot(bytes, offset, { cols, rows }) };
      return;
    }
    this.#pending.delete(request);
    if (message.type === 'error') pending.reject(new Refusal(message.code, message.message));
    else pending.resolve(message);
  }

  #snapshotTaken({ answer, snapshot }: Incoming): void {
    this.#incoming = undefined;
    const pending = this.#pending.get(answer.request);
    this.#pending.delete(answer.request);
    pending?.bytes?.(snapshot.bytes);
    pending?.resolve(answer);
  }
}

function isAnswer(message: ServerMessage, request: string, { closing }: Pending): boolean {
  if (message.type === 'session_closed') return message.session === closing;
  return 'request' in message && message.request === request;
}
