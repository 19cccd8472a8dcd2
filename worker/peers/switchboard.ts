/**
 * Tracks who is connected to this workspace and who receives a frame. It does no I/O and sees sockets only as map keys,
 * so the rules can be read and tested without a network. workspace.ts carries them out.
 *
 * It is a cache. The authoritative data of a socket is in its attachment, because the platform may evict the object
 * between any two events; the constructor of workspace.ts rebuilds this from the attachments.
 */
import { ProtocolError } from '../../protocol/errors.ts';
import { CHANNEL_ALL, type FrameHeader, type FrameKind } from '../../protocol/frame.ts';
import { CLIENT_HANDLES_MAX } from '../../protocol/limits.ts';
import type { AgentPeer, ClientPeer, Peer } from './peer.ts';

const FROM_CLIENT: ReadonlySet<FrameKind> = new Set(['input', 'ack']);
const FROM_AGENT: ReadonlySet<FrameKind> = new Set(['output', 'resize', 'snapshot', 'ack']);

/** A client after a change. */
interface Changed<S> {
  readonly socket: S;
  readonly peer: ClientPeer;
}

export class Switchboard<S> {
  readonly #peers = new Map<S, Peer>();
  readonly #byChannel = new Map<number, S>();
  readonly #byHandle = new Map<number, Set<S>>();
  #agent: { readonly socket: S; readonly generation: number } | null = null;
  /** How many clients see one session only. Without any, nothing is filtered. */
  #scoped = 0;

  peerOf(socket: S): Peer | undefined {
    return this.#peers.get(socket);
  }

  /** The socket of the newest agent, if there is one. */
  get agent(): S | null {
    return this.#agent?.socket ?? null;
  }

  /** The newest agent's generation; 0 when there is none. */
  get generation(): number {
    return this.#agent?.generation ?? 0;
  }

  /** [RL1] The newest agent wins, so that a half-dead connection cannot lock out its successor. */
  addAgent(socket: S, peer: AgentPeer): void {
    this.#peers.set(socket, peer);
    if (this.#agent !== null && this.#agent.generation > peer.generation) return;
    this.#agent = { socket, generation: peer.generation };
    this.#forgetSubscriptions(peer.generation);
  }

  addClient(socket: S, peer: ClientPeer): void {
    this.#peers.set(socket, peer);
    this.#byChannel.set(peer.channel, socket);
    if (peer.session !== undefined) this.#scoped++;
    if (peer.generation === this.#agent?.generation)
      for (const handle of peer.handles) this.#index(handle, socket);
  }

  /** The peer that left; undefined when it was already removed, because a departure may be reported twice. [RL5] */
  remove(socket: S): Peer | undefined {
    const peer = this.#peers.get(socket);
    if (peer === undefined) return undefined;
    this.#peers.delete(socket);
    if (peer.role === 'agent') {
      if (this.#agent?.socket === socket) this.#agent = null;
      return peer;
    }
    this.#byChannel.delete(peer.channel);
    if (peer.session !== undefined) this.#scoped--;
    for (const handle of peer.handles) this.#unindex(handle, socket);
    return peer;
  }

  /** Updates what is known about the newest agent. Returns the new peer, for its attachment. */
  describeAgent(
    what: Partial<Omit<AgentPeer, 'role' | 'generation' | 'credential' | 'connectedAt'>>,
  ): { readonly socket: S; readonly peer: AgentPeer } | null {
    const socket = this.agent;
    const peer = socket === null ? undefined : this.#peers.get(socket);
    if (socket === null || peer?.role !== 'agent') return null;
    const changed: AgentPeer = { ...peer, ...what };
    this.#peers.set(socket, changed);
    return { socket, peer: changed };
  }

  /** The client with this channel. */
  clientPeer(channel: number): ClientPeer | undefined {
    const socket = this.#byChannel.get(channel);
    const peer = socket === undefined ? undefined : this.#peers.get(socket);
    return peer?.role === 'agent' ? undefined : peer;
  }

  /** Updates what is known about a client. Returns the new peer, for its attachment. */
  describeClient(
    channel: number,
    what: Partial<
      Pick<ClientPeer, 'attachedTo' | 'answersReadChecks' | 'own' | 'watching' | 'drives' | 'isToldPeople'>
    >,
  ): { readonly socket: S; readonly peer: ClientPeer } | null {
    const socket = this.#byChannel.get(channel);
    const peer = this.clientPeer(channel);
    if (socket === undefined || peer === undefined) return null;
    const changed: ClientPeer = { ...peer, ...what };
    this.#peers.set(socket, changed);
    return { socket, peer: changed };
  }

  /** Whether this client receives output of any session. */
  isSubscribed(peer: ClientPeer): boolean {
    return peer.handles.length > 0 && peer.generation === this.#agent?.generation;
  }

  /** All peers, including the agent. */
  everybody(): Iterable<readonly [socket: S, peer: Peer]> {
    return this.#peers;
  }

  get clientCount(): number {
    return this.#byChannel.size;
  }

  clients(): { readonly socket: S; readonly peer: ClientPeer }[] {
    return [...this.#peers].flatMap(([socket, peer]) => (peer.role === 'agent' ? [] : [{ socket, peer }]));
  }

  client(channel: number): S | null {
    return this.#byChannel.get(channel) ?? null;
  }

  /**
   * Returns the changed peer, for its attachment; null when there is no such client or nothing has changed. Throws when
   * an agent subscribes a client to more sessions than can exist.
   */
  subscribe(channel: number, handle: number): Changed<S> | null {
    const found = this.#subscriber(channel);
    if (found === null) return null;
    const { socket, handles } = found;
    if (handles.includes(handle)) return null;
    if (handles.length >= CLIENT_HANDLES_MAX)
      throw new ProtocolError(`a client can be subscribed to ${CLIENT_HANDLES_MAX} sessions`);
    this.#index(handle, socket);
    return this.#changed(found, [...handles, handle]);
  }

  unsubscribe(channel: number, handle: number): Changed<S> | null {
    const found = this.#subscriber(channel);
    if (found === null || !found.handles.includes(handle)) return null;
    this.#unindex(handle, found.socket);
    return this.#changed(
      found,
      found.handles.filter((other) => other !== handle),
    );
  }

  /** What to do with a frame of this kind. A viewer may watch but not type. [RL7] */
  judge(peer: Peer, kind: FrameKind): 'forward' | 'forbidden' | 'malformed' {
    if (peer.role === 'agent') return FROM_AGENT.has(kind) ? 'forward' : 'malformed';
    if (!FROM_CLIENT.has(kind)) return 'malformed';
    return peer.role === 'viewer' && kind === 'input' ? 'forbidden' : 'forward';
  }

  /** The recipients of an agent's frame: one channel, or everybody subscribed to the session. [RL3] [SL6] */
  recipients({ channel, handle }: FrameHeader): Iterable<S> {
    const socket = this.#byChannel.get(channel);
    const one = socket === undefined ? [] : [socket];
    const named = channel === CHANNEL_ALL ? (this.#byHandle.get(handle) ?? []) : one;
    return this.#scoped === 0
      ? named
      : [...named].filter((to) => this.isInScope(this.#peers.get(to), handle));
  }

  /** Whether frames with this handle are about a session that the client sees. [SL6] */
  isInScope(peer: Peer | undefined, handle: number): boolean {
    if (peer === undefined || peer.role === 'agent') return false;
    const { own, session } = peer;
    return session === undefined || (own?.handle === handle && own.generation === this.generation);
  }

  /** The agent has told a client that sees one session which number that session has. Null when nothing has changed. */
  ownHandle(channel: number, handle: number): ReturnType<Switchboard<S>['describeClient']> {
    const peer = this.clientPeer(channel);
    if (peer?.session === undefined || this.isInScope(peer, handle)) return null;
    return this.describeClient(channel, { own: { generation: this.generation, handle } });
  }

  /** A client and its subscriptions under the current agent; null when either is missing. */
  #subscriber(channel: number) {
    const socket = this.#byChannel.get(channel);
    const peer = socket === undefined ? undefined : this.#peers.get(socket);
    if (socket === undefined || peer === undefined || peer.role === 'agent' || this.#agent === null)
      return null;
    const { generation } = this.#agent;
    // Subscriptions of an earlier agent are no longer in the index.
    const handles = peer.generation === generation ? peer.handles : [];
    return { socket, peer, generation, handles };
  }

  #changed(
    { socket, peer, generation }: { socket: S; peer: ClientPeer; generation: number },
    handles: readonly number[],
  ): Changed<S> {
    const changed: ClientPeer = { ...peer, generation, handles };
    this.#peers.set(socket, changed);
    return { socket, peer: changed };
  }

  #index(handle: number, socket: S): void {
    const subscribed = this.#byHandle.get(handle);
    if (subscribed === undefined) this.#byHandle.set(handle, new Set([socket]));
    else subscribed.add(socket);
  }

  /** Removes a session's entry with its last subscriber; otherwise one would remain for every shell ever opened. */
  #unindex(handle: number, socket: S): void {
    const subscribed = this.#byHandle.get(handle);
    subscribed?.delete(socket);
    if (subscribed?.size === 0) this.#byHandle.delete(handle);
  }

  /**
   * Keeps the subscriptions of `generation`, because after a wake-up the agent and its subscribers are restored in any
   * order.
   */
  #forgetSubscriptions(generation: number): void {
    this.#byHandle.clear();
    for (const [socket, peer] of this.#peers) {
      if (peer.role === 'agent' || peer.generation !== generation) continue;
      for (const handle of peer.handles) this.#index(handle, socket);
    }
  }
}
