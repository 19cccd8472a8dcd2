/**
 * The sockets of one workspace and what may be done with them: seat, tell, forward, see off.
 *
 * Between the platform (workspace.ts) and the rules (switchboard.ts, *-messages.ts). Like the switchboard it
 * is rebuilt after an eviction, and holds nothing that is not in an attachment or in the registry.
 */
import { CLOSE, closeReason, closeSentence } from '../protocol/close-codes.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { decodeHeader, stampChannel } from '../protocol/frame.ts';
import { CLIENTS_MAX } from '../protocol/limits.ts';
import type { ClientRole, RelayMessage, ServerMessage } from '../protocol/messages.ts';
import type { Registry } from './registry.ts';
import { type ClientPeer, type Peer, Switchboard } from './switchboard.ts';

const VIEW_ONLY: ServerMessage = {
  type: 'error',
  code: 'forbidden',
  message: 'This link is for watching only.',
};

export class Room {
  readonly board = new Switchboard<WebSocket>();
  readonly registry: Registry;

  constructor(registry: Registry, sockets: readonly WebSocket[]) {
    this.registry = registry;
    for (const socket of sockets) {
      if (socket.readyState === WebSocket.OPEN) this.#seat(socket, socket.deserializeAttachment() as Peer);
    }
    // A deploy or a crash closes every socket without a word; here is where that shows.
    if (this.board.agent === null) registry.agentOffline(new Date());
  }

  // ── Coming and going ─────────────────────────────────────────────────────────────────────────────

  /** [RL1] The newest agent wins; the one before is told to stop dialling. */
  seatAgent(socket: WebSocket): void {
    const before = this.board.agent;
    this.#seatNew(socket, { role: 'agent', generation: this.registry.nextGeneration() });
    if (before !== null) this.expel(before, CLOSE.replaced, closeSentence(CLOSE.replaced));
  }

  seatClient(socket: WebSocket, role: ClientRole): void {
    if (this.board.clients().length >= CLIENTS_MAX) {
      socket.close(CLOSE.tooMany, closeSentence(CLOSE.tooMany));
      return;
    }
    this.#seatNew(socket, { role, channel: newChannel(), generation: 0, handles: [] });
    this.tell(socket, { type: 'agent_state', agent: this.registry.agent() });
  }

  /** Reports a departure, once, however often and in whatever way it is noticed. [RL5] */
  left(socket: WebSocket): void {
    const wasTheAgent = this.board.agent === socket;
    const peer = this.board.remove(socket);
    if (wasTheAgent) {
      this.registry.agentOffline(new Date());
      this.tellClients({ type: 'agent_state', agent: this.registry.agent() });
    } else if (peer !== undefined && peer.role !== 'agent') {
      this.tellAgent({
        type: 'client_dropped',
        generation: this.registry.agent().generation,
        channel: peer.channel,
      });
    }
  }

  expel(socket: WebSocket, code: number, sentence: string): void {
    this.left(socket);
    socket.close(code, closeReason(sentence));
  }

  // ── Telling ──────────────────────────────────────────────────────────────────────────────────────

  tell(socket: WebSocket, message: ServerMessage): void {
    send(socket, JSON.stringify(message));
  }

  tellClients(message: ServerMessage): void {
    const text = JSON.stringify(message);
    for (const { socket } of this.board.clients()) send(socket, text);
  }

  /** Says nothing when no agent is connected: the relay queues nothing. */
  tellAgent(message: RelayMessage): void {
    if (this.board.agent !== null) send(this.board.agent, JSON.stringify(message));
  }

  tellPresence(question?: string): void {
    const clients = this.board.clients().map(({ peer: { channel, role } }) => ({ channel, role }));
    const { generation } = this.registry.agent();
    this.tellAgent({
      type: 'presence',
      generation,
      clients,
      ...(question === undefined ? {} : { question }),
    });
  }

  /** Writes a client's changed subscriptions where they survive a hibernation. */
  remember(changed: { readonly socket: WebSocket; readonly peer: ClientPeer } | null): void {
    changed?.socket.serializeAttachment(changed.peer);
  }

  // ── The path of every data frame ─────────────────────────────────────────────────────────────────

  forward(socket: WebSocket, peer: Peer, frame: Uint8Array<ArrayBuffer>): void {
    const header = decodeHeader(frame);
    const judgement = this.board.judge(peer, header.kind);
    if (judgement === 'malformed') throw new ProtocolError(`a ${peer.role} sends no ${header.kind} frames`);
    if (judgement === 'forbidden') return this.tell(socket, VIEW_ONLY);
    if (peer.role === 'agent') {
      for (const recipient of this.board.recipients(header)) send(recipient, frame);
      return;
    }
    stampChannel(frame, peer.channel); // [RL2] whatever the client wrote there itself
    if (this.board.agent !== null) send(this.board.agent, frame);
  }

  #seatNew(socket: WebSocket, peer: Peer): void {
    socket.serializeAttachment(peer);
    this.#seat(socket, peer);
  }

  #seat(socket: WebSocket, peer: Peer): void {
    if (peer.role === 'agent') this.board.addAgent(socket, peer);
    else this.board.addClient(socket, peer);
  }
}

/** A socket that is closing throws; whoever it was is about to be reported as gone. */
function send(socket: WebSocket, data: string | Uint8Array<ArrayBuffer>): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(data);
}

/** Random, never 0 and never reused: a late frame for a client that left must not reach a newcomer. */
function newChannel(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] || newChannel();
}
