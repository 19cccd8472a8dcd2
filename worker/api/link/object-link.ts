/**
 * One socket to the workspace's object for one request: it asks, receives the answer, and closes. Whatever lasts longer
 * than one answer (streams, waiting for text) uses a WorkspaceClient instead.
 */
import type { Context } from 'hono';
import type { ClientMessage } from '../../../protocol/client-message.ts';
import { CLOSE } from '../../../protocol/close-codes.ts';
import type { Socket, WireFrame } from '../../../protocol/connection.ts';
import { Refusal } from '../../../protocol/errors.ts';
import { decodeFrame, type Frame } from '../../../protocol/frame.ts';
import {
  type AgentPresence,
  parseServerMessage,
  type ServerMessage,
} from '../../../protocol/server-message.ts';
import type { App } from '../../http/http.ts';
import { workerClock } from '../../platform/worker-clock.ts';
import { listen, onGivenUp, openSocket } from './object-socket.ts';

/** The slowest thing an agent does before it answers is to start a program, or to end one that resists. */
const OBJECT_ANSWER_WITHIN_MS = 10_000;

/** The socket or the agent's link was lost, or no answer came in time. The outcome of the request is unknown. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface LinkEvents {
  message?(message: ServerMessage): void;
  frame?(frame: Frame): void;
  /** No pending request on this socket will be answered. */
  lost?(): void;
}

interface Question {
  readonly isAnswer: (message: ServerMessage) => boolean;
  readonly resolve: (message: ServerMessage) => void;
  readonly reject: (why: Error) => void;
}

export class ObjectLink {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #questions = new Map<string, Question>();
  #agent: AgentPresence | undefined;
  readonly #greeting = Promise.withResolvers<void>();
  #isLost = false;

  private constructor(socket: WebSocket, events: LinkEvents) {
    this.#events = events;
    this.#socket = listen(socket, {
      opened() {},
      received: (frame) => this.#received(frame),
      closed: () => this.#lose(),
    });
  }

  /** Opens a socket for the duration of `act`, which starts once the relay has said whether the agent is online. */
  static async use<T>(
    c: Context<App>,
    events: LinkEvents,
    act: (link: ObjectLink) => Promise<T>,
  ): Promise<T> {
    const link = new ObjectLink(await openSocket(c), events);
    const stop = onGivenUp(c, () => {
      link.#lose();
      link.#socket.close(CLOSE.normal, '');
    });
    try {
      await link.#greeting.promise;
      return await act(link);
    } finally {
      stop();
      link.#isLost = true;
      link.#socket.close(CLOSE.normal, '');
    }
  }

  get isOnline(): boolean {
    return this.#agent?.state === 'online';
  }

  /** Rejects with a Refusal or with NoAnswer. `isAnswer` recognises answers that do not name their request. */
  ask(
    compose: (request: string) => ClientMessage,
    isAnswer: (message: ServerMessage) => boolean = () => false,
    withinMs = OBJECT_ANSWER_WITHIN_MS,
  ): Promise<ServerMessage> {
    const request = `${this.#questions.size + 1}`;
    const { promise, resolve, reject } = Promise.withResolvers<ServerMessage>();
    this.#questions.set(request, { isAnswer, resolve, reject });
    const cancel = workerClock.after(withinMs, () => reject(new NoAnswer('no answer in time')));
    if (this.#isLost) reject(new NoAnswer('the socket is closed'));
    else this.#socket.send(JSON.stringify(compose(request)));
    return promise.finally(cancel);
  }

  send(frame: WireFrame): void {
    this.#socket.send(frame);
  }

  #received(frame: WireFrame): void {
    if (typeof frame !== 'string') return this.#events.frame?.(decodeFrame(frame));
    const message = parseServerMessage(frame);
    if (message.type === 'agent_state') this.#agentChanged(message.agent);
    else this.#answer(message);
    this.#events.message?.(message);
  }

  /** Requests sent over an earlier link of the agent are never answered. [RL4] */
  #agentChanged(agent: AgentPresence): void {
    const before = this.#agent;
    this.#agent = agent;
    this.#greeting.resolve();
    if (before === undefined) return;
    if (before.generation !== agent.generation || agent.state === 'offline') this.#abandon();
  }

  #answer(message: ServerMessage): void {
    for (const [request, { isAnswer, resolve, reject }] of this.#questions) {
      const named = 'request' in message && message.request === request;
      if (!named && !isAnswer(message)) continue;
      if (message.type === 'error') reject(new Refusal(message.code, message.message));
      else resolve(message);
    }
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#greeting.resolve();
    this.#abandon();
  }

  #abandon(): void {
    for (const { reject } of this.#questions.values()) reject(new NoAnswer('the connection was lost'));
    this.#events.lost?.();
  }
}
