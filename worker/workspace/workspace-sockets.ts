/**
 * The connections of one workspace: who is seated, who still has to prove its key, and how a connection ends. What is
 * sent to them is in outbox.ts; what they send is limited by message-pace.ts and forwarded by frame-forwarder.ts.
 *
 * This layer is between the platform (workspace.ts) and the rules (switchboard.ts, *-messages.ts). Like the switchboard
 * it is rebuilt after an eviction. Everything that must survive is in an attachment or in the registry.
 */

import type { ClientKind } from '../../protocol/audit.ts';
import { CLOSE, closeReason, closeSentence } from '../../protocol/close-codes.ts';
import type { Ability } from '../../protocol/messages/client-message.ts';
import type { AgentPresence } from '../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { isGuest } from '../../protocol/token.ts';
import { type AuditJournal, actorOf, wasAttached } from '../audit/audit-journal.ts';
import { ListMeter } from '../metering/list-meter.ts';
import { Turn } from '../metering/turn.ts';
import { Unread } from '../metering/unread.ts';
import { ownerOf } from '../peers/owner.ts';
import {
  type ClientPeer,
  type ClosingPeer,
  type Credential,
  GONE,
  type Peer,
  type PendingAgent,
  readAttachment,
} from '../peers/peer.ts';
import { PendingAgents } from '../peers/pending-agents.ts';
import { OWING, seatRefusal, UNENDED } from '../peers/seats.ts';
import { Switchboard } from '../peers/switchboard.ts';
import { log } from '../platform/log.ts';
import type { Time } from '../platform/time.ts';
import type { Registry } from '../registry/registry.ts';
import { FrameForwarder } from './frame-forwarder.ts';
import { MessagePace } from './message-pace.ts';
import { Outbox } from './outbox.ts';
import { PeopleWatch } from './people-watch.ts';
import { SessionWrites } from './session-writes.ts';

/** How many handles of a socket's attachment are written in the time of one unit of a turn. */
const HANDLES_PER_UNIT = 16;

export class WorkspaceSockets {
  readonly board = new Switchboard<WebSocket>();
  readonly pending = new PendingAgents<WebSocket>();
  readonly registry: Registry;
  /** Records who does what; null where no audit trail is kept. */
  readonly journal: AuditJournal | null;
  readonly turn: Turn;
  readonly unread = new Unread<WebSocket>();
  readonly lists: ListMeter;
  readonly outbox: Outbox;
  readonly pace: MessagePace;
  readonly frames: FrameForwarder;
  readonly writes: SessionWrites;
  readonly people: PeopleWatch;
  readonly #time: Time;
  /** When each peer last sent something, since the last wake-up. */
  readonly #heardAt = new Map<WebSocket, number>();
  /** All connections are about to end, and this object with them. */
  #isResetting = false;

  constructor(
    registry: Registry,
    sockets: readonly WebSocket[],
    time: Time,
    journal: AuditJournal | null = null,
    turn = new Turn(time.now()),
  ) {
    this.registry = registry;
    this.journal = journal;
    this.turn = turn;
    this.#time = time;
    const { board, unread } = this;
    const expel = this.expel.bind(this);
    const outbox = new Outbox({ board, unread, turn, time, expel });
    this.outbox = outbox;
    this.lists = new ListMeter(turn);
    this.pace = new MessagePace({ outbox, turn, journal, expel });
    const chargeToken = this.pace.chargeToken.bind(this.pace);
    this.frames = new FrameForwarder({ board, outbox, turn, journal, expel, chargeToken });
    this.writes = new SessionWrites({ registry, board, turn, expel }, time.now());
    const isKnown = (session: string) => registry.sessions.has(session);
    const remember = this.remember.bind(this);
    this.people = new PeopleWatch({ board, outbox, time, isKnown, remember, chargeToken });
    for (const socket of sockets) this.#restore(socket);
    // A deploy or a crash closes every socket without an event. The missing agent is noticed here.
    if (this.board.agent === null) registry.agentOffline(time.now(), null);
  }

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

  /** Why there is no seat for another client with this role and token; null when there is one. [RL14] [RL27] */
  fullFor(role: ClientRole, { tokenId }: Credential): string | null {
    if (this.unread.isFullFor({ role, tokenId })) return UNENDED;
    if (role === 'viewer' && this.pace.owes({ role, tokenId }, this.#time.now())) return OWING;
    const closing = [...this.unread.closingOwners()].flatMap(({ role, tokenId }) =>
      role === 'agent' ? [] : [{ role, tokenId }],
    );
    return seatRefusal(
      this.board.clients().map(({ peer }) => ownerOf(peer)),
      { role, tokenId },
      closing,
    );
  }

  /** `session`: the only one that it sees; undefined for all. [SL5] */
  admitClient(
    socket: WebSocket,
    role: ClientRole,
    credential: Credential,
    client: ClientKind,
    session?: string,
  ): void {
    const connectedAt = this.#time.now();
    const channel = newChannel((taken) => this.board.client(taken) !== null);
    const scope = session === undefined ? {} : { session };
    const peer = { role, channel, generation: 0, handles: [], client, credential, connectedAt, ...scope };
    this.#seatNew(socket, peer);
    this.journal?.requests.joined(channel);
    const guest = isGuest({ jti: credential.tokenId, session }) ? { guest: true } : {};
    this.outbox.tell(socket, { type: 'agent_state', agent: this.agentPresence(), role, ...guest, ...scope });
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
    this.pace.left(socket);
    this.outbox.left(socket);
    this.#heardAt.delete(socket);
    // Written before the closing handshake ends, so that its end is not reported again, even after evictions.
    socket.serializeAttachment(attachment);
    if (wasAttached(peer)) this.journal?.did(actorOf(peer), 'left', this.#time.now());
    if (peer.role !== 'agent') this.journal?.left(peer.channel);
    if (peer.role !== 'agent') this.people.left(peer);
    if (wasTheAgent) {
      this.registry.agentOffline(this.#time.now(), lastSeen);
      this.outbox.tellClients({ type: 'agent_state', agent: this.agentPresence() });
      log('info', 'agent_gone', { generation });
    } else if (peer.role !== 'agent') {
      this.outbox.tellAgent({ type: 'client_dropped', generation, channel: peer.channel });
    }
  }

  /** Does what had to wait. Called at the beginning of every event. */
  settle(now: number): void {
    this.journal?.typing.settle(now);
    this.people.settle(now);
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

  /** Whether it is known what the agent can do. */
  get hasAgentSaidHello(): boolean {
    const peer = this.board.agent === null ? undefined : this.board.peerOf(this.board.agent);
    // Without `saidHello`, it was described by an earlier version of the relay.
    return peer?.role === 'agent' && (peer.saidHello === true || peer.listsCommands !== undefined);
  }

  /** The version that the agent says it has; null without an agent, and for one that does not say. */
  get agentBuild(): string | null {
    const peer = this.board.agent === null ? undefined : this.board.peerOf(this.board.agent);
    return (peer?.role === 'agent' && peer.build) || null;
  }

  /** An earlier agent would take such a request for a malformed message, and leave. */
  get agentListsCommands(): boolean {
    const peer = this.board.agent === null ? undefined : this.board.peerOf(this.board.agent);
    return peer?.role === 'agent' && peer.listsCommands === true;
  }

  /** Whether the agent said that it can do this. [RL30] */
  agentCan(ability: Ability): boolean {
    const peer = this.board.agent === null ? undefined : this.board.peerOf(this.board.agent);
    return peer?.role === 'agent' && peer.can?.includes(ability) === true;
  }

  agentPresence(): AgentPresence {
    const agent = this.registry.agent();
    const socket = this.board.agent;
    if (agent.state === 'offline') return agent;
    // Storage failed to record that the agent went offline, so the time is unknown.
    if (socket === null) return { ...agent, state: 'offline', since: null };
    const peer = this.board.peerOf(socket);
    const { can, graceMs = 0, trouble } = peer?.role === 'agent' ? peer : {};
    return {
      ...agent,
      lastSeen: new Date(this.heardAt(socket)).toISOString(),
      ...(graceMs > 0 ? { graceMs } : {}),
      ...(this.agentListsCommands ? { listsCommands: true } : {}),
      ...(can === undefined ? {} : { can: [...can] }),
      ...(trouble === undefined ? {} : { trouble }),
    };
  }

  /** Writes a changed peer to its attachment, which survives hibernation. */
  remember(changed: { readonly socket: WebSocket; readonly peer: Peer } | null): void {
    if (changed === null) return;
    const { socket, peer } = changed;
    if (peer.role !== 'agent') this.turn.spend(peer.handles.length / HANDLES_PER_UNIT, this.#time.now());
    socket.serializeAttachment(peer);
  }

  /** The object woke up, and this socket is still open. */
  #restore(socket: WebSocket): void {
    const attachment = readAttachment(socket.deserializeAttachment());
    if (attachment === GONE) return;
    switch (attachment.role) {
      case 'pending_agent':
        return this.pending.add(socket, attachment);
      case 'closing':
        return this.unread.stillClosing(socket, attachment.owner, attachment.bytes);
      default:
        if (attachment.role !== 'agent') this.people.restored(attachment);
        return this.#seat(socket, attachment);
    }
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

/** Random, never 0 and never reused: a late frame for a client that left must not reach a new one. */
function newChannel(isTaken: (channel: number) => boolean): number {
  const channel = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return channel === 0 || isTaken(channel) ? newChannel(isTaken) : channel;
}
