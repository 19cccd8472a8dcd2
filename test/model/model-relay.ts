/**
 * The relay of the model: the product's switchboard with the minimum around it (the registry does not affect streams),
 * and links whose frames arrive when the test delivers them.
 */

import type { WireFrame } from '../../protocol/connection.ts';
import { Refusal } from '../../protocol/errors.ts';
import { decodeHeader, stampChannel } from '../../protocol/frame.ts';
import {
  type AgentMessage,
  parseAgentMessage,
  type RelayMessage,
} from '../../protocol/messages/agent-message.ts';
import { type ClientMessage, parseClientMessage } from '../../protocol/messages/client-message.ts';
import { errorMessage, type ServerMessage } from '../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { Switchboard } from '../../worker/peers/switchboard.ts';
import { PageSocket } from './model-page.ts';

/** What a page sent when it requested a session. */
interface Asked {
  readonly request: string;
  readonly session: string;
  readonly from?: number | undefined;
  readonly epoch?: string | undefined;
  /** The agent has accepted, and the missing output comes next. */
  isAnswered?: boolean;
}

/** One connection of an agent, with the frames in flight in both directions. */
export class AgentLink {
  readonly up: WireFrame[] = [];
  readonly down: WireFrame[] = [];
}

const SEAT = { credential: { tokenId: '', issuedAt: 0, expiresAt: 0 }, connectedAt: 0 };

export class ModelRelay {
  #board = new Switchboard<PageSocket | AgentLink>();
  #generation = 0;
  #channels = 0;
  #epoch: string | null = null;
  /** As in the registry: online starts with `hello`, and continues across a take-over. */
  #state: 'online' | 'offline' = 'offline';
  /** Pages that have requested a session from the present agent, as it was told: what they requested. */
  readonly #attending = new Map<number, Asked>();
  /** Which clients it was told about before each of its questions was answered. */
  readonly #attendedBefore = new Map<string, ReadonlySet<string>>();

  /** [RL1] The previous link is ignored, whatever it has sent; nobody is told that it was replaced. */
  seatAgent(link: AgentLink): void {
    const before = this.#board.agent;
    this.#board.addAgent(link, {
      role: 'agent',
      generation: ++this.#generation,
      graceMs: 0,
      sessionsHaveGraces: false,
      ...SEAT,
    });
    if (before !== null) this.#board.remove(before);
    this.#attending.clear();
  }

  /**
   * Whether an operator watched this session when the question was answered, as far as the agent knew by then. [AG2]
   * [AG4]
   */
  wasAttended(session: string, question: string): boolean {
    return this.#attendedBefore.get(question)?.has(session) ?? true;
  }

  seatPage(socket: PageSocket, role: ClientRole): void {
    const channel = ++this.#channels;
    this.#board.addClient(socket, { role, channel, generation: 0, handles: [], ...SEAT });
    socket.inbound.push(this.#agentState());
  }

  /** A socket is gone, as the relay sees it. */
  left(socket: PageSocket | AgentLink): void {
    const wasTheAgent = this.#board.agent === socket;
    const peer = this.#board.remove(socket);
    if (peer === undefined) return;
    if (wasTheAgent) {
      this.#state = 'offline';
      this.#tellPages();
    }
    if (peer.role === 'agent') return;
    this.#attending.delete(peer.channel);
    this.#toAgent({ type: 'client_dropped', generation: this.#generation, channel: peer.channel });
  }

  /** The object forgets its memory, and keeps what its sockets carry. */
  hibernate(): void {
    const woken = new Switchboard<PageSocket | AgentLink>();
    for (const [socket, peer] of this.#board.everybody()) {
      if (peer.role === 'agent') woken.addAgent(socket, peer);
      else woken.addClient(socket, peer);
    }
    this.#board = woken;
  }

  hearsAgent(link: AgentLink): void {
    const frame = link.up.shift();
    if (frame === undefined || this.#board.peerOf(link) === undefined) return;
    if (typeof frame === 'string') return this.#fromAgent(parseAgentMessage(frame));
    for (const to of this.#board.recipients(decodeHeader(frame)))
      if (to instanceof PageSocket) to.inbound.push(frame);
  }

  hearsPage(socket: PageSocket): void {
    const frame = socket.next();
    const peer = this.#board.peerOf(socket);
    if (frame === undefined || peer === undefined || peer.role === 'agent') return;
    if (frame === 'ping') socket.inbound.push('pong');
    else if (typeof frame === 'string') {
      const { channel, role } = peer;
      const message = parseClientMessage(frame);
      if (this.#board.agent === null) return void socket.inbound.push(offlineAnswer(message));
      this.#toAgent({ type: 'from_client', channel, role, message });
      if (message.type === 'reattach_session') this.#attending.set(channel, message);
      if (message.type === 'detach_session') this.#attending.delete(channel);
    } else {
      const copy = frame.slice();
      stampChannel(copy, peer.channel);
      this.#linkOfAgent()?.down.push(copy);
    }
  }

  #fromAgent(message: AgentMessage): void {
    switch (message.type) {
      case 'hello':
        this.#epoch = message.epoch;
        this.#state = 'online';
        this.#toAgent({ type: 'presence', generation: this.#generation, clients: [] });
        return this.#tellPages();
      case 'subscribe':
        return void this.#board.subscribe(message.channel, message.handle);
      case 'unsubscribe':
        return void this.#board.unsubscribe(message.channel, message.handle);
      case 'ask_presence': {
        const { question } = message;
        const attended = [...this.#attending].flatMap(([channel, { session }]) =>
          this.#board.clientPeer(channel)?.role === 'operator' ? [session] : [],
        );
        if (question !== undefined) this.#attendedBefore.set(question, new Set(attended));
        return this.#toAgent({ type: 'presence', generation: this.#generation, clients: [], question });
      }
      case 'to_client': {
        this.#expectTrueLoss(message.channel, message.message);
        const socket = this.#board.client(message.channel);
        if (socket instanceof PageSocket) socket.inbound.push(JSON.stringify(message.message));
        return;
      }
      case 'to_clients':
        for (const { socket } of this.#board.clients())
          if (socket instanceof PageSocket) socket.inbound.push(JSON.stringify(message.message));
        return;
      default:
        return;
    }
  }

  /** [OU3] What a page says it has, and where its replay starts, determine how much is lost. */
  #expectTrueLoss(channel: number, message: ServerMessage): void {
    const asked = this.#attending.get(channel);
    if (asked === undefined) return;
    if (message.type === 'session_reattached' && message.request === asked.request)
      asked.isAnswered = message.session.epoch === asked.epoch;
    if (message.type !== 'scrollback' || message.history || !asked.isAnswered) return;
    asked.isAnswered = false; // what follows by itself is for what it has by then
    const gone = asked.from === undefined ? 0 : Math.max(0, message.from - asked.from);
    if (message.lost !== gone) throw new Error(`${gone} bytes are gone, and ${message.lost} are told`);
  }

  #tellPages(): void {
    for (const { socket } of this.#board.clients())
      if (socket instanceof PageSocket) socket.inbound.push(this.#agentState());
  }

  #agentState(): string {
    const about = { state: this.#state, epoch: this.#epoch, generation: this.#generation };
    return JSON.stringify({ type: 'agent_state', agent: { since: null, lastSeen: null, ...about } });
  }

  #linkOfAgent(): AgentLink | undefined {
    const { agent } = this.#board;
    return agent instanceof AgentLink ? agent : undefined;
  }

  #toAgent(message: RelayMessage): void {
    this.#linkOfAgent()?.down.push(JSON.stringify(message));
  }
}

/** [RL2] */
function offlineAnswer(message: ClientMessage): string {
  return JSON.stringify(errorMessage(new Refusal('agent_offline', 'The machine is not connected.'), message));
}
