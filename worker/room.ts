/**
 * The sockets of one workspace and what may be done with them: seat, tell, forward, see off.
 *
 * Between the platform (workspace.ts) and the rules (switchboard.ts, *-messages.ts). Like the switchboard it
 * is rebuilt after an eviction, and holds nothing that matters and is not in an attachment or in the registry.
 */

import type { ClientKind } from '../protocol/audit.ts';
import { CLOSE, closeReason, closeSentence } from '../protocol/close-codes.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { decodeHeader, HEADER_BYTES, stampChannel } from '../protocol/frame.ts';
import {
  AGENT_BURST_COST,
  AGENT_COST_PER_S,
  PAYLOAD_MAX_BYTES,
  ROWS_BURST_MAX,
  ROWS_PER_S_MAX,
} from '../protocol/limits.ts';
import type {
  AgentPresence,
  ClientRole,
  RelayMessage,
  ServerMessage,
  SessionInfo,
} from '../protocol/messages.ts';
import { actorOf, type Journal, wasAttached } from './audit/journal.ts';
import { Bucket, type BucketSize, CONTROL_COST, frameCost } from './bucket.ts';
import { log } from './log.ts';
import { type Credential, GONE, type Peer, type PendingAgent, readPeer, readPendingAgent } from './peer.ts';
import { PendingAgents } from './pending-agents.ts';
import type { Registry } from './registry.ts';
import { seatRefusal } from './seats.ts';
import { differsInPassing } from './session-row.ts';
import { Switchboard } from './switchboard.ts';
import type { Time } from './time.ts';
import { ToldMeter } from './told-meter.ts';

const VIEW_ONLY: ServerMessage = {
  type: 'error',
  code: 'forbidden',
  message: 'This link is view-only.',
};

const OF_AN_AGENT: BucketSize = { capacity: AGENT_BURST_COST, refillPerS: AGENT_COST_PER_S };
const ROWS: BucketSize = { capacity: ROWS_BURST_MAX, refillPerS: ROWS_PER_S_MAX };

const FRAME_MAX_BYTES = HEADER_BYTES + PAYLOAD_MAX_BYTES;

export class Room {
  readonly board = new Switchboard<WebSocket>();
  readonly pending = new PendingAgents<WebSocket>();
  readonly registry: Registry;
  /** Notes who does what; null where nobody is interested. */
  readonly journal: Journal | null;
  readonly #time: Time;
  /** What each may still send, and when it last did. A limiter's memory: an eviction may empty it. */
  readonly #buckets = new Map<WebSocket, Bucket>();
  /** What each was told. Who has not read it keeps the object from being evicted, so this is not forgotten too soon. */
  readonly #told = new Map<WebSocket, ToldMeter>();
  readonly #rows: Bucket;

  constructor(registry: Registry, sockets: readonly WebSocket[], time: Time, journal: Journal | null = null) {
    this.registry = registry;
    this.journal = journal;
    this.#time = time;
    this.#rows = new Bucket(time.now(), ROWS);
    for (const socket of sockets) {
      const attachment: unknown = socket.deserializeAttachment();
      const peer = readPeer(attachment);
      if (peer !== null) this.#seat(socket, peer);
      const pending = peer === null ? readPendingAgent(attachment) : null;
      if (pending !== null) this.pending.add(socket, pending);
    }
    // A deploy or a crash closes every socket without a word; here is where that shows.
    if (this.board.agent === null) registry.agentOffline(time.now(), null);
  }

  // ── Coming and going ─────────────────────────────────────────────────────────────────────────────

  /** [RL1] The newest agent wins; the one before is told to stop dialling. */
  seatAgent(socket: WebSocket, credential: Credential): void {
    const before = this.board.agent;
    const generation = this.registry.nextGeneration(this.board.generation);
    const connectedAt = this.#time.now();
    const peer = { role: 'agent', generation, graceMs: 0, sessionsHaveGraces: false } as const;
    this.#seatNew(socket, { ...peer, credential, connectedAt });
    const how = before === null ? {} : { detail: 'replaced another' };
    this.journal?.did(actorOf({ ...peer, credential, connectedAt }), 'agent_connected', connectedAt, how);
    if (before !== null) this.expel(before, CLOSE.replaced, closeSentence(CLOSE.replaced));
    log('info', 'agent_connected', { generation });
  }

  /** It waits for its proof beside everybody else. [AK4] */
  seatPending(socket: WebSocket, pending: PendingAgent): void {
    socket.serializeAttachment(pending);
    this.pending.add(socket, pending);
  }

  /** Why there is no seat for another client with this role and token; null when there is one. [RL14] */
  fullFor(role: ClientRole, { tokenId }: Credential): string | null {
    return seatRefusal(
      this.board.clients().map(({ peer }) => ({ role: peer.role, tokenId: peer.credential.tokenId })),
      { role, tokenId },
    );
  }

  seatClient(socket: WebSocket, role: ClientRole, credential: Credential, client: ClientKind): void {
    const connectedAt = this.#time.now();
    const channel = newChannel((taken) => this.board.client(taken) !== null);
    this.#seatNew(socket, { role, channel, generation: 0, handles: [], client, credential, connectedAt });
    this.tell(socket, { type: 'agent_state', agent: this.agentPresence(), role });
  }

  /** Reports a departure, once, however often and in whatever way it is noticed. [RL5] */
  left(socket: WebSocket): void {
    if (this.pending.remove(socket)) return socket.serializeAttachment(GONE);
    const wasTheAgent = this.board.agent === socket;
    const { generation } = this.board;
    const lastSeen = this.heardAt(socket);
    const peer = this.board.remove(socket);
    if (peer === undefined) return;
    this.#buckets.delete(socket);
    this.#told.delete(socket);
    socket.serializeAttachment(GONE);
    if (wasAttached(peer)) this.journal?.did(actorOf(peer), 'left', this.#time.now());
    if (peer.role !== 'agent') this.journal?.typing.left(peer.channel);
    if (wasTheAgent) {
      this.registry.agentOffline(this.#time.now(), lastSeen);
      this.tellClients({ type: 'agent_state', agent: this.agentPresence() });
      log('info', 'agent_gone', { generation });
    } else if (peer.role !== 'agent') {
      this.tellAgent({ type: 'client_dropped', generation, channel: peer.channel });
    }
  }

  expel(socket: WebSocket, code: number, sentence: string): void {
    this.left(socket);
    socket.close(code, closeReason(sentence));
  }

  /** When anything was last heard of it: a heartbeat, which wakes nobody, or a message since the last wake-up. */
  heardAt(socket: WebSocket): number {
    return Math.max(
      this.#time.heartbeatAt(socket) ?? 0,
      this.board.peerOf(socket)?.connectedAt ?? 0,
      this.#buckets.get(socket)?.lastAt ?? 0,
    );
  }

  agentPresence(): AgentPresence {
    const agent = this.registry.agent();
    const socket = this.board.agent;
    if (agent.state === 'offline') return agent;
    // Storage would not take that it is gone, so since when nobody knows.
    if (socket === null) return { ...agent, state: 'offline', since: null };
    const peer = this.board.peerOf(socket);
    const graceMs = peer?.role === 'agent' ? peer.graceMs : 0;
    return {
      ...agent,
      lastSeen: new Date(this.heardAt(socket)).toISOString(),
      ...(graceMs > 0 ? { graceMs } : {}),
    };
  }

  // ── Telling ──────────────────────────────────────────────────────────────────────────────────────

  tell(socket: WebSocket, message: ServerMessage): void {
    this.#tellText(socket, JSON.stringify(message));
  }

  tellClients(message: ServerMessage): void {
    this.#tellEverybody(JSON.stringify(message));
  }

  /** What the agent has to say to all clients, which costs it as much as saying it to each. [RL17] */
  passToClients(message: ServerMessage, now: number): void {
    const { agent, clientCount } = this.board;
    const text = JSON.stringify(message);
    if (agent !== null && !this.#chargeAgent(agent, (text.length / 1024) * clientCount, now)) return;
    this.#tellEverybody(text);
  }

  #tellEverybody(text: string): void {
    for (const { socket } of this.board.clients()) this.#tellText(socket, text);
  }

  /** Who was told so much and may not have read any of it is told no more. [RL16] */
  #tellText(socket: WebSocket, text: string): void {
    const now = this.#time.now();
    const meter = this.#told.get(socket) ?? new ToldMeter(now);
    this.#told.set(socket, meter);
    if (meter.tells(text.length, now)) return send(socket, text);
    log('warn', 'client_told_too_much', {});
    this.expel(socket, CLOSE.tooMany, 'This connection asked for more than it can be sent. Reconnect.');
  }

  /** Says nothing when no agent is connected: the relay queues nothing. */
  tellAgent(message: RelayMessage): void {
    if (this.board.agent !== null) send(this.board.agent, JSON.stringify(message));
  }

  tellPresence(question?: string): void {
    const clients = this.board.clients().map(({ peer: { channel, role } }) => ({ channel, role }));
    const { generation } = this.board;
    this.tellAgent({
      type: 'presence',
      generation,
      clients,
      ...(question === undefined ? {} : { question }),
    });
  }

  /** Writes what has changed about a peer where it survives a hibernation. */
  remember(changed: { readonly socket: WebSocket; readonly peer: Peer } | null): void {
    changed?.socket.serializeAttachment(changed.peer);
  }

  // ── The registry ─────────────────────────────────────────────────────────────────────────────────

  /** Keeps what the agent tells of a session, as often as it may be written. False when it has been seen off. [RL18] */
  keep(session: SessionInfo, generation: number, now: number): boolean {
    this.#rows.take(0, now);
    if (this.#rows.isEmpty && differsInPassing(this.registry.session(session.id, now), session)) return true;
    if (this.#rows.take(1, now) === 'over') return this.#expelAgent('rows');
    this.registry.put(session, generation);
    return true;
  }

  // ── The path of every message ────────────────────────────────────────────────────────────────────

  /** Whether a message may pass; says what else is to be said. An agent's frames are paced by acknowledgements. [RL12] */
  admits(socket: WebSocket, peer: Peer, message: string | ArrayBuffer, now: number): boolean {
    if (peer.role === 'agent') {
      return this.#chargeAgent(socket, typeof message === 'string' ? 1 + message.length / 1024 : 0, now);
    }
    const bucket = this.#bucketOf(socket, now);
    const cost = typeof message === 'string' ? CONTROL_COST : frameCost(message.byteLength);
    const judgement = bucket.take(cost, now);
    if (judgement === 'pass') return true;
    if (judgement === 'over') {
      log('warn', 'client_too_fast', { role: peer.role });
      this.journal?.refused(actorOf(peer), 'too_fast', now);
      this.expel(socket, CLOSE.tooMany, 'Too many messages in too short a time.');
      return false;
    }
    const retryAfterMs = bucket.retryAfterMs;
    this.tell(socket, {
      type: 'error',
      code: 'slow_down',
      message: 'Messages are sent too fast.',
      retryAfterMs,
    });
    return true;
  }

  /** Synchronous, and the buffer that came is the buffer that goes: a view of it would be copied once more. */
  forward(socket: WebSocket, peer: Peer, message: ArrayBuffer, now = this.#time.now()): void {
    const frame = new Uint8Array(message);
    if (frame.length > FRAME_MAX_BYTES) {
      this.journal?.refused(actorOf(peer), 'too_large', now);
      return this.expel(socket, CLOSE.tooLarge, `A frame of over ${PAYLOAD_MAX_BYTES} bytes of payload.`);
    }
    const header = decodeHeader(frame);
    const judgement = this.board.judge(peer, header.kind);
    if (judgement === 'malformed') throw new ProtocolError(`a ${peer.role} sends no ${header.kind} frames`);
    if (judgement === 'forbidden') {
      this.journal?.refused(actorOf(peer), 'forbidden', now);
      return this.tell(socket, VIEW_ONLY);
    }
    if (peer.role === 'agent') {
      for (const recipient of this.board.recipients(header)) send(recipient, message);
      return;
    }
    stampChannel(frame, peer.channel); // [RL2] whatever the client wrote there itself
    if (this.board.agent === null) return;
    send(this.board.agent, message);
    if (header.kind === 'input') this.journal?.typing.typed(peer, header.handle, now);
  }

  /** An agent can not be asked to slow down: it may owe a while, then it is seen off. [RL17] */
  #chargeAgent(socket: WebSocket, cost: number, now: number): boolean {
    return (
      this.#bucketOf(socket, now, OF_AN_AGENT).take(cost, now) !== 'over' || this.#expelAgent('messages')
    );
  }

  #expelAgent(what: 'messages' | 'rows'): false {
    log('warn', 'agent_too_fast', { code: what });
    if (this.board.agent !== null)
      this.expel(this.board.agent, CLOSE.tooMany, 'Too many messages in too short a time.');
    return false;
  }

  #bucketOf(socket: WebSocket, now: number, size?: BucketSize): Bucket {
    const known = this.#buckets.get(socket);
    if (known !== undefined) return known;
    const bucket = new Bucket(now, size);
    this.#buckets.set(socket, bucket);
    return bucket;
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

/**
 * A socket that is closing throws; whoever it was is about to be reported as gone. Asking for its state first
 * would cost more than sending does.
 */
function send(socket: WebSocket, data: string | ArrayBuffer): void {
  try {
    socket.send(data);
  } catch (error) {
    if (socket.readyState === WebSocket.OPEN) throw error;
  }
}

/** Random, never 0 and never reused: a late frame for a client that left must not reach a newcomer. */
function newChannel(isTaken: (channel: number) => boolean): number {
  const channel = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return channel === 0 || isTaken(channel) ? newChannel(isTaken) : channel;
}
