/**
 * The sockets of one workspace and the operations on them: seat, send, forward, close.
 *
 * This layer is between the platform (workspace.ts) and the rules (switchboard.ts, *-messages.ts). Like the switchboard
 * it is rebuilt after an eviction. Everything that must survive is in an attachment or in the registry.
 */

import type { ClientKind } from '../../protocol/audit.ts';
import { CLOSE, closeReason, closeSentence } from '../../protocol/close-codes.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { decodeHeader, HEADER_BYTES, stampChannel } from '../../protocol/frame.ts';
import {
  AGENT_CONTROL_MAX_BYTES,
  CLIENT_CONTROL_MAX_BYTES,
  LISTS_BURST_MAX_BYTES,
  LISTS_PER_S_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
  ROWS_BURST_MAX,
  ROWS_PER_S_MAX,
  STREAMED_PER_S,
} from '../../protocol/limits.ts';
import type {
  AgentPresence,
  ClientRole,
  RelayMessage,
  ServerMessage,
  SessionInfo,
} from '../../protocol/messages.ts';
import { type AuditJournal, actorOf, wasAttached } from '../audit/audit-journal.ts';
import { Bucket, type BucketSize, CONTROL_COST, frameCost } from '../metering/bucket.ts';
import { TokenMeter } from '../metering/token-meter.ts';
import { type TokenPace, TokenPaces } from '../metering/token-pace.ts';
import { ToldMeter } from '../metering/told-meter.ts';
import { PEERS_PER_UNIT, ROW_COST, Turn } from '../metering/turn.ts';
import { Unread } from '../metering/unread.ts';
import { type Owner, ownerOf } from '../peers/owner.ts';
import {
  type ClientPeer,
  type ClosingPeer,
  type Credential,
  GONE,
  type Peer,
  type PendingAgent,
  readClosingPeer,
  readPeer,
  readPendingAgent,
} from '../peers/peer.ts';
import { PendingAgents } from '../peers/pending-agents.ts';
import { seatRefusal } from '../peers/seats.ts';
import { Switchboard } from '../peers/switchboard.ts';
import { byteLength } from '../platform/byte-length.ts';
import { log } from '../platform/log.ts';
import type { Time } from '../platform/time.ts';
import type { Registry } from '../registry/registry.ts';
import { differsInPassing } from '../registry/session-row.ts';

const VIEW_ONLY: ServerMessage = {
  type: 'error',
  code: 'forbidden',
  message: 'This link is view-only.',
};

const UNENDED =
  'Closed connections of this token are still open at their end. Stop the programs that hold them, then retry.';

const TOO_FAST = 'Too many messages in too short a time.';
const TOO_FAST_TOGETHER = 'The connections of this token sent too much in too short a time.';

const ROWS: BucketSize = { capacity: ROWS_BURST_MAX, refillPerS: ROWS_PER_S_MAX };

const LISTS: BucketSize = { capacity: LISTS_BURST_MAX_BYTES, refillPerS: LISTS_PER_S_MAX_BYTES };

const STREAMED: BucketSize = { capacity: STREAMED_PER_S, refillPerS: STREAMED_PER_S };
const STREAMED_TOO_MUCH = 'The streams of this token exceed their rate limit. Follow fewer sessions at once.';

/** How many handles of a socket's attachment are written in the time of one unit of a turn. */
const HANDLES_PER_UNIT = 16;

/** How many bytes of a list are built and sent in the time of one unit. */
const LIST_BYTES_PER_UNIT = 2048;

/** How many bytes of any text are sent in the time of one unit. */
const TOLD_BYTES_PER_UNIT = 1024;

/** Cost of sending a frame to one more connection. */
const RECIPIENT_COST = 0.8;

/**
 * Cost of a recipient that ends in the Worker, which decodes the frame, converts it to an event, writes and
 * acknowledges it.
 */
const WORKER_RECIPIENT_COST = 5;

/** Cost of a full frame for a terminal in single-terminal mode: all of it is searched for device queries. */
const FILTERED_FRAME_COST = 60;

/** Cost of sending a text, in addition to its bytes. */
const TOLD_COST = 0.8;

/** How many rows are checked in the time of one unit when an inventory is complete. */
const SETTLED_ROWS_PER_UNIT = 16;

/** Limits on what a client may send: on this connection, and on all connections of its token. */
interface Pace {
  readonly own: Bucket;
  readonly token: TokenPace<WebSocket>;
}

const FRAME_MAX_BYTES = HEADER_BYTES + PAYLOAD_MAX_BYTES;

export class WorkspaceSockets {
  readonly board = new Switchboard<WebSocket>();
  readonly pending = new PendingAgents<WebSocket>();
  readonly registry: Registry;
  /** Records who does what; null where no audit trail is kept. */
  readonly journal: AuditJournal | null;
  readonly #time: Time;
  /** What each client may still send. An eviction may lose it, which only resets the limits. */
  readonly #paces = new Map<WebSocket, Pace>();
  readonly #tokenPaces = new TokenPaces<WebSocket>();
  /** When each peer last sent something, since the last wake-up. */
  readonly #heardAt = new Map<WebSocket, number>();
  readonly turn: Turn;
  /**
   * How much text each client was sent. A client that has not read it keeps the object from being evicted, so this is
   * not lost too soon.
   */
  readonly #told = new Map<WebSocket, ToldMeter>();
  readonly #rows: Bucket;
  readonly unread = new Unread<WebSocket>();
  /** All connections are about to end, and this object with them. */
  #isResetting = false;
  /** How many bytes of lists each token was sent, over all its connections and HTTP. [RL16] */
  readonly lists = new TokenMeter(LISTS);
  /** How much the streams of each token were sent. [RL28] */
  readonly #streamed = new TokenMeter(STREAMED);

  constructor(
    registry: Registry,
    sockets: readonly WebSocket[],
    time: Time,
    journal: AuditJournal | null = null,
    turn = new Turn(time.now()),
  ) {
    this.registry = registry;
    this.journal = journal;
    this.#time = time;
    this.#rows = new Bucket(time.now(), ROWS);
    this.turn = turn;
    for (const socket of sockets) {
      const attachment: unknown = socket.deserializeAttachment();
      const peer = readPeer(attachment);
      if (peer !== null) this.#seat(socket, peer);
      const pending = peer === null ? readPendingAgent(attachment) : null;
      if (pending !== null) this.pending.add(socket, pending);
      const closing = peer === null ? readClosingPeer(attachment) : null;
      if (closing !== null) this.unread.stillClosing(socket, closing.owner, closing.bytes);
    }
    // A deploy or a crash closes every socket without an event. The missing agent is noticed here.
    if (this.board.agent === null) registry.agentOffline(time.now(), null);
  }

  // ── Connecting and leaving ───────────────────────────────────────────────────────────────────────

  /** [RL1] The newest agent wins; the previous one is closed with a code that tells it not to reconnect. */
  admitAgent(socket: WebSocket, credential: Credential): void {
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

  /** It waits for its proof apart from the seated peers. [AK4] */
  admitPending(socket: WebSocket, pending: PendingAgent): void {
    socket.serializeAttachment(pending);
    this.pending.add(socket, pending);
  }

  /** Why there is no seat for another client with this role and token; null when there is one. [RL14] */
  fullFor(role: ClientRole, { tokenId }: Credential): string | null {
    if (this.unread.isFullFor({ role, tokenId })) return UNENDED;
    const closing = [...this.unread.closingOwners()].flatMap(({ role, tokenId }) =>
      role === 'agent' ? [] : [{ role, tokenId }],
    );
    return seatRefusal(
      this.board.clients().map(({ peer }) => ownerOf(peer)),
      { role, tokenId },
      closing,
    );
  }

  admitClient(socket: WebSocket, role: ClientRole, credential: Credential, client: ClientKind): void {
    const connectedAt = this.#time.now();
    const channel = newChannel((taken) => this.board.client(taken) !== null);
    this.#seatNew(socket, { role, channel, generation: 0, handles: [], client, credential, connectedAt });
    this.tell(socket, { type: 'agent_state', agent: this.agentPresence(), role });
  }

  willAnswerReadChecks({ channel, answersReadChecks }: ClientPeer): void {
    if (answersReadChecks !== true)
      this.remember(this.board.describeClient(channel, { answersReadChecks: true }));
  }

  /** The connection has ended. */
  left(socket: WebSocket): void {
    this.#depart(socket, GONE);
    this.unread.ended(socket);
  }

  /**
   * Closes a connection from our side. That only starts the closing handshake, so it counts until it has ended. [RL26]
   */
  expel(socket: WebSocket, code: number, sentence: string): void {
    const peer = this.board.peerOf(socket) ?? this.pending.of(socket);
    if (peer !== undefined) {
      const owner = ownerOf(peer);
      const bytes = this.unread.closed(socket, owner);
      this.#depart(socket, { role: 'closing', owner, bytes });
    }
    socket.close(code, closeReason(sentence));
    if (this.#isResetting || !this.unread.isTooMuchClosing) return;
    this.#isResetting = true;
    log('warn', 'workspace_reset', { code: 'closing' });
    this.#time.reset('too many connections were closed and have not ended');
  }

  /** Reports a departure once, however often and in whatever way it is noticed. [RL5] */
  #depart(socket: WebSocket, attachment: typeof GONE | ClosingPeer): void {
    if (this.pending.remove(socket)) return socket.serializeAttachment(attachment);
    const wasTheAgent = this.board.agent === socket;
    const { generation } = this.board;
    const lastSeen = this.heardAt(socket);
    const peer = this.board.remove(socket);
    if (peer === undefined) return;
    this.#paces.get(socket)?.token.left(socket);
    this.#paces.delete(socket);
    this.#heardAt.delete(socket);
    this.#told.delete(socket);
    // Written before the closing handshake ends, so that its end is not reported again, even after evictions.
    socket.serializeAttachment(attachment);
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

  heard(socket: WebSocket, now: number): void {
    if (this.board.peerOf(socket) !== undefined) this.#heardAt.set(socket, now);
  }

  /** When the peer was last heard: a heartbeat, which does not wake the object, or a message since the last wake-up. */
  heardAt(socket: WebSocket): number {
    return Math.max(
      this.#time.heartbeatAt(socket) ?? 0,
      this.board.peerOf(socket)?.connectedAt ?? 0,
      this.#heardAt.get(socket) ?? 0,
    );
  }

  agentPresence(): AgentPresence {
    const agent = this.registry.agent();
    const socket = this.board.agent;
    if (agent.state === 'offline') return agent;
    // Storage failed to record that the agent went offline, so the time is unknown.
    if (socket === null) return { ...agent, state: 'offline', since: null };
    const peer = this.board.peerOf(socket);
    const graceMs = peer?.role === 'agent' ? peer.graceMs : 0;
    return {
      ...agent,
      lastSeen: new Date(this.heardAt(socket)).toISOString(),
      ...(graceMs > 0 ? { graceMs } : {}),
    };
  }

  // ── Sending ──────────────────────────────────────────────────────────────────────────────────────

  tell(socket: WebSocket, message: ServerMessage): void {
    this.tellText(socket, JSON.stringify(message));
  }

  /** Costs the workspace as much as sending to each client separately. [RL17] */
  tellClients(message: ServerMessage): void {
    const text = JSON.stringify(message);
    const bytes = byteLength(text);
    for (const { socket } of this.board.clients()) this.tellText(socket, text, bytes);
  }

  /** Sends a text. A client that was sent too much, and may not have read any of it, is closed instead. [RL16] */
  tellText(socket: WebSocket, text: string, bytes = byteLength(text)): void {
    const now = this.#time.now();
    this.turn.spend(TOLD_COST + bytes / TOLD_BYTES_PER_UNIT, now);
    const meter = this.#told.get(socket) ?? new ToldMeter(now);
    this.#told.set(socket, meter);
    if (meter.tells(bytes, now)) {
      send(socket, text);
      return this.#wasSent(socket, bytes);
    }
    log('warn', 'client_told_too_much', {});
    this.expel(socket, CLOSE.tooMany, 'This connection requested more than it can be sent. Reconnect.');
  }

  /** Charges a list, or a page of one, to this token. */
  tookList(owner: Owner, bytes: number, now: number): void {
    this.lists.take(owner, bytes, now);
    this.turn.spend(bytes / LIST_BYTES_PER_UNIT, now);
  }

  /** Does nothing when no agent is connected: the relay queues nothing. */
  tellAgent(message: RelayMessage): void {
    const { agent } = this.board;
    if (agent === null) return;
    const text = JSON.stringify(message);
    const bytes = byteLength(text);
    this.turn.spend(TOLD_COST + bytes / TOLD_BYTES_PER_UNIT, this.#time.now());
    send(agent, text);
    this.#wasSent(agent, bytes);
  }

  tellPresence(question?: string): void {
    this.turn.spend(this.board.clientCount / PEERS_PER_UNIT, this.#time.now());
    const clients = this.board.clients().map(({ peer: { channel, role } }) => ({ channel, role }));
    const { generation } = this.board;
    this.tellAgent({
      type: 'presence',
      generation,
      clients,
      ...(question === undefined ? {} : { question }),
    });
  }

  /** Writes a changed peer to its attachment, which survives hibernation. */
  remember(changed: { readonly socket: WebSocket; readonly peer: Peer } | null): void {
    if (changed === null) return;
    const { socket, peer } = changed;
    if (peer.role !== 'agent') this.turn.spend(peer.handles.length / HANDLES_PER_UNIT, this.#time.now());
    socket.serializeAttachment(peer);
  }

  // ── The registry ─────────────────────────────────────────────────────────────────────────────────

  /** Stores what the agent reports of a session, within its write limit. False when the agent was closed. [RL18] */
  keep(session: SessionInfo, generation: number, now: number): boolean {
    this.#rows.take(0, now);
    if (this.#rows.isEmpty && differsInPassing(this.registry.sessions.get(session.id, now), session))
      return true;
    if (this.#rows.take(1, now) === 'over') return this.#expelAgent();
    this.turn.spend(ROW_COST, now);
    this.registry.sessions.put(session, generation);
    return true;
  }

  /** The agent has named all its sessions; those it did not name are lost. [RL6] */
  settle(generation: number, now: number): void {
    const { sessions } = this.registry;
    this.turn.spend(2 * ROW_COST + sessions.size / SETTLED_ROWS_PER_UNIT, now);
    sessions.reconcile(generation, now);
  }

  #expelAgent(): false {
    log('warn', 'agent_too_fast', { code: 'rows' });
    if (this.board.agent !== null)
      this.expel(this.board.agent, CLOSE.tooMany, 'Too many session changes in too short a time.');
    return false;
  }

  // ── Handling every message ───────────────────────────────────────────────────────────────────────

  /**
   * Whether a message may pass. Also sends `slow_down` or closes the socket if needed. An agent is slowed only by
   * pauses. [RL12] [RL17] [RL27]
   */
  admits(socket: WebSocket, peer: Peer, message: string | ArrayBuffer, now: number): boolean {
    const spent = turnCost(peer, message);
    this.turn.spend(spent, now);
    if (peer.role === 'agent') return true;
    const { own, token } = this.#paceOf(socket, peer, now);
    const cost = typeof message === 'string' ? CONTROL_COST : frameCost(message.byteLength);
    const judgement = own.take(cost, now);
    const ofToken = token.take(socket, spent, now);
    if (judgement === 'pass' && ofToken === 'pass') return true;
    if (judgement === 'over' || ofToken === 'over') {
      log('warn', 'client_too_fast', { role: peer.role });
      this.journal?.refused(actorOf(peer), 'too_fast', now);
      this.expel(socket, CLOSE.tooMany, judgement === 'over' ? TOO_FAST : TOO_FAST_TOGETHER);
      return false;
    }
    const retryAfterMs = Math.max(own.retryAfterMs, token.retryAfterMs);
    this.tell(socket, {
      type: 'error',
      code: 'slow_down',
      message: 'Messages are sent too fast.',
      retryAfterMs,
    });
    return true;
  }

  /** Charges the work that a client's message caused to its token. [RL27] */
  chargeToken(socket: WebSocket, cost: number, now: number): void {
    this.#paces.get(socket)?.token.charge(cost, now);
  }

  /** Synchronous, and sends the received buffer itself, because sending a view would copy it again. */
  forward(socket: WebSocket, peer: Peer, message: ArrayBuffer, now = this.#time.now()): void {
    const frame = new Uint8Array(message);
    if (frame.length > FRAME_MAX_BYTES) {
      this.journal?.refused(actorOf(peer), 'too_large', now);
      return this.expel(socket, CLOSE.tooLarge, `A frame has over ${PAYLOAD_MAX_BYTES} bytes of payload.`);
    }
    const header = decodeHeader(frame);
    const judgement = this.board.judge(peer, header.kind);
    if (judgement === 'malformed') throw new ProtocolError(`a ${peer.role} sends no ${header.kind} frames`);
    if (judgement === 'forbidden') {
      this.journal?.refused(actorOf(peer), 'forbidden', now);
      return this.tell(socket, VIEW_ONLY);
    }
    if (peer.role === 'agent') {
      for (const recipient of this.board.recipients(header)) {
        send(recipient, message);
        const frames = message.byteLength / PAYLOAD_MAX_BYTES;
        const receiver = this.board.peerOf(recipient);
        if (endsInWorker(receiver)) {
          this.turn.spend(receiver.client === 'terminal' ? frames * FILTERED_FRAME_COST : frames, now);
          this.#wasStreamed(recipient, receiver, WORKER_RECIPIENT_COST, now);
        } else this.turn.spend(RECIPIENT_COST + frames, now);
        this.#wasSent(recipient, message.byteLength);
      }
      return;
    }
    stampChannel(frame, peer.channel); // [RL2] overrides whatever the client wrote
    if (this.board.agent === null) return;
    send(this.board.agent, message);
    this.#wasSent(this.board.agent, message.byteLength);
    if (header.kind === 'input') this.journal?.typing.typed(peer, header.handle, now);
  }

  /**
   * A stream that is sent more than its share is closed. Its client resumes at its offset, with larger frames. [RL28]
   */
  #wasStreamed(socket: WebSocket, peer: ClientPeer, cost: number, now: number): void {
    this.turn.spend(cost, now);
    if (this.#streamed.take(ownerOf(peer), cost, now) > 0)
      this.expel(socket, CLOSE.tooMany, STREAMED_TOO_MUCH);
  }

  /** Sends a read check now and then. If too much is unread, a connection is closed. [RL25] */
  #wasSent(socket: WebSocket, bytes: number): void {
    if (this.unread.sent(socket, bytes) && this.board.peerOf(socket)?.answersReadChecks === true) {
      const mark = crypto.randomUUID().slice(-12);
      this.unread.asked(socket, mark);
      send(socket, JSON.stringify({ type: 'read_check', mark }));
    }
    const overdue = this.unread.overdue;
    if (overdue === null) return;
    log('warn', 'connection_reads_nothing', {});
    this.expel(overdue, CLOSE.tooMany, 'Too much was sent and not read. Reconnect.');
  }

  #paceOf(socket: WebSocket, peer: ClientPeer, now: number): Pace {
    const known = this.#paces.get(socket);
    if (known !== undefined) return known;
    const pace = { own: new Bucket(now), token: this.#tokenPaces.of(ownerOf(peer), now) };
    this.#paces.set(socket, pace);
    return pace;
  }

  #seatNew(socket: WebSocket, peer: Peer): void {
    socket.serializeAttachment(peer);
    this.#seat(socket, peer);
  }

  #seat(socket: WebSocket, peer: Peer): void {
    this.unread.opened(socket, ownerOf(peer));
    if (peer.role === 'agent') this.board.addAgent(socket, peer);
    else this.board.addClient(socket, peer);
  }
}

/**
 * A closing socket throws, and its departure is about to be reported. Checking its state first would cost more than
 * sending does.
 */
function send(socket: WebSocket, data: string | ArrayBuffer): void {
  try {
    socket.send(data);
  } catch (error) {
    if (socket.readyState === WebSocket.OPEN) throw error;
  }
}

/** Whether the client is an HTTP stream or a terminal in single-terminal mode. */
function endsInWorker(peer: Peer | undefined): peer is ClientPeer {
  return peer !== undefined && peer.role !== 'agent' && (peer.client === 'api' || peer.client === 'terminal');
}

/** An overlong message is not read, so it costs no more than the longest allowed one. */
function turnCost({ role }: Peer, message: string | ArrayBuffer): number {
  if (typeof message !== 'string') {
    // A client's frame is forwarded to the agent.
    const onwards = role === 'agent' ? 0 : RECIPIENT_COST;
    return 1 + onwards + Math.min(message.byteLength / PAYLOAD_MAX_BYTES, 1);
  }
  const most = role === 'agent' ? AGENT_CONTROL_MAX_BYTES : CLIENT_CONTROL_MAX_BYTES;
  return 1 + Math.min(message.length, most) / 1024;
}

/** Random, never 0 and never reused: a late frame for a client that left must not reach a new one. */
function newChannel(isTaken: (channel: number) => boolean): number {
  const channel = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return channel === 0 || isTaken(channel) ? newChannel(isTaken) : channel;
}
