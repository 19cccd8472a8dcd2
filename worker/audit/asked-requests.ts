/**
 * The requests of clients that the agent has not answered yet. The audit trail names a person only for an answer to a
 * request that the relay saw, so that an agent cannot write rows in somebody's name. [AU1]
 */
import { ASKED_REMEMBERED_MAX } from '../../protocol/limits.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';

/** The answers that get a row, by the request that they answer. */
const ANSWERS: Partial<Record<ClientMessage['type'], AuditedAnswer['type']>> = {
  create_session: 'session_created',
  reattach_session: 'session_reattached',
  take_snapshot: 'snapshot_taken',
  list_commands: 'command_list',
};

export type AuditedAnswer = Extract<
  ServerMessage,
  { type: 'session_created' | 'session_reattached' | 'snapshot_taken' | 'command_list' }
>;

/** `forgotten`: the client may have asked before the object slept. */
export type Asked = 'asked' | 'forgotten' | 'never';

interface Client {
  /** What answers each request: the kind of answer, and the session. */
  readonly expected: Map<string, string>;
  /** Whether it had connected before the object slept, which forgets requests. */
  readonly isRestored: boolean;
  /** Whether a request was forgotten because there are too many. The client did that itself. */
  isFlooded: boolean;
}

export class AskedRequests {
  readonly #clients = new Map<number, Client>();

  joined(channel: number): void {
    this.#clients.set(channel, { expected: new Map(), isRestored: false, isFlooded: false });
  }

  left(channel: number): void {
    this.#clients.delete(channel);
  }

  asked(channel: number, message: ClientMessage): void {
    const answer = ANSWERS[message.type];
    if (answer === undefined || !('request' in message) || message.request === undefined) return;
    const client = this.#clientOf(channel);
    const { expected } = client;
    expected.delete(message.request);
    expected.set(message.request, expectation(answer, 'session' in message ? message.session : undefined));
    const [oldest] = expected.keys();
    if (expected.size <= ASKED_REMEMBERED_MAX || oldest === undefined) return;
    expected.delete(oldest);
    client.isFlooded = true;
  }

  /** Whether the client asked for this. The last page of an answer ends the request. */
  answered(channel: number, answer: AuditedAnswer): Asked {
    const client = this.#clientOf(channel);
    const { expected, isFlooded, isRestored } = client;
    const isExpected = expected.get(answer.request) === expectation(answer.type, sessionOf(answer));
    if (isExpected && !('more' in answer && answer.more === true)) this.refused(channel, answer.request);
    if (isExpected || isFlooded) return 'asked';
    return isRestored ? 'forgotten' : 'never';
  }

  /** The agent has refused the request, so no other answer to it follows. */
  refused(channel: number, request: string): void {
    const client = this.#clientOf(channel);
    client.expected.delete(request);
    if (client.expected.size === 0) client.isFlooded = false;
  }

  #clientOf(channel: number): Client {
    const known = this.#clients.get(channel);
    if (known !== undefined) return known;
    const restored = { expected: new Map(), isRestored: true, isFlooded: false };
    this.#clients.set(channel, restored);
    return restored;
  }
}

/** A session that is created is named by the agent; all others by the client. */
function sessionOf(answer: AuditedAnswer): string | undefined {
  if (answer.type === 'session_created') return undefined;
  return answer.type === 'session_reattached' ? answer.session.id : answer.session;
}

const expectation = (answer: AuditedAnswer['type'], session = ''): string => `${answer} ${session}`;
