/**
 * The Durable Object of a workspace, to which its agent and its clients connect.
 *
 * It is a thin layer that passes the platform's events on. The platform may evict it between any two events while the
 * sockets stay open, so its fields hold nothing that must survive: data about a socket is in that socket's attachment,
 * and data about sessions is in SQLite.
 */
import { DurableObject } from 'cloudflare:workers';
import type { AuditPage } from '../../protocol/audit.ts';
import { CLOSE, mayBeSent } from '../../protocol/close-codes.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { AGENT_CONTROL_MAX_BYTES, CLIENT_CONTROL_MAX_BYTES } from '../../protocol/limits.ts';
import { parseAgentMessage } from '../../protocol/messages/agent-message.ts';
import { parseClientMessage } from '../../protocol/messages/client-message.ts';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { AuditJournal, actorOf } from '../audit/audit-journal.ts';
import { type AuditQuery, AuditStore } from '../audit/audit-store.ts';
import { AuditTrail } from '../audit/audit-trail.ts';
import { receiveOffer } from '../gate/agent-offer.ts';
import { type Caller, readCaller } from '../gate/caller.ts';
import { countCommits } from '../metering/counted-commits.ts';
import { AUDIT_ENTRY_COST, COMMIT_COST, CONNECT_COST, Turn, unseatedCost } from '../metering/turn.ts';
import { unbrokenWork } from '../metering/unbroken-work.ts';
import type { Peer } from '../peers/peer.ts';
import { isLongerThan } from '../platform/byte-length.ts';
import { platformTime, type Time } from '../platform/time.ts';
import type { SubscribeOutcome } from '../registry/push-subscriptions.ts';
import { type PinnedKey, Registry } from '../registry/registry.ts';
import { callerActor } from './administration.ts';
import { AgentDoor, type AgentKeyChange } from './agent-door.ts';
import { handleAgentMessage } from './agent-messages.ts';
import type { Answer } from './answer.ts';
import { handleClientMessage } from './client-messages.ts';
import { ObjectAlarm } from './object-alarm.ts';
import { PresenceWatch } from './presence-watch.ts';
import { type AskedSubscription, personOf, subscriptionOf } from './push-person.ts';
import { Reporting } from './reporting.ts';
import {
  type SessionsReport,
  sessionsReport,
  type WorkspaceFigures,
  type WorkspaceHealth,
  workspaceFigures,
  workspaceHealth,
} from './reports.ts';
import { type RevocationAnswer, type RevocationRequest, Revoking } from './revoking.ts';
import { type LinkAnswer, type LinkRequest, Sharing } from './sharing.ts';
import type { WorkspaceEnv } from './workspace-env.ts';
import { WorkspaceSockets } from './workspace-sockets.ts';

export class Workspace extends DurableObject<WorkspaceEnv> {
  readonly #sockets: WorkspaceSockets;
  readonly #journal: AuditJournal;
  readonly #presence: PresenceWatch;
  readonly #door: AgentDoor;
  readonly #alarm: ObjectAlarm;
  readonly #reporting: Reporting;
  readonly #sharing: Sharing;
  readonly #revoking: Revoking;
  readonly #time: Time;

  constructor(ctx: DurableObjectState, env: WorkspaceEnv, time: Time = platformTime(ctx, !env.SELF_HOSTED)) {
    super(ctx, env);
    // The platform answers heartbeats, so that they neither wake nor bill this object.
    if (!env.SELF_HOSTED) ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    this.#time = time;
    const turn = new Turn(time.now(), unbrokenWork);
    const sql = countCommits(ctx.storage.sql, () => turn.spend(COMMIT_COST, time.now()));
    const registry = new Registry(sql, time.now());
    this.#journal = new AuditJournal(new AuditTrail(new AuditStore(sql)), registry.sessions);
    this.#sockets = new WorkspaceSockets(registry, ctx.getWebSockets(), time, this.#journal, turn);
    this.#alarm = new ObjectAlarm(registry, time);
    this.#presence = new PresenceWatch(this.#sockets, this.#alarm);
    const parts = { registry, turn, sockets: this.#sockets, alarm: this.#alarm, now: () => time.now() };
    this.#reporting = new Reporting(env, parts);
    this.#sharing = new Sharing(this.#sockets, this.#presence, this.#journal);
    this.#revoking = new Revoking({
      sockets: this.#sockets,
      presence: this.#presence,
      journal: this.#journal,
      pushes: this.#reporting.pushes,
      sharing: this.#sharing,
    });
    this.#door = new AgentDoor(this.#sockets, (credential) => this.#presence.isLockedOut(credential));
  }

  /** Reachable only through the gate; the request names the caller. */
  override fetch(request: Request): Response {
    const caller = readCaller(request);
    const refusal = this.#refusalOf(caller, this.#time.now());
    if (refusal !== null) return new Response(refusal.why, { status: 401 });
    const full = caller.role === 'agent' ? null : this.#sockets.fullFor(caller.role, caller.credential);
    if (full !== null) {
      this.#journal.refused(callerActor(caller), 'too_many_clients', this.#time.now());
      return new Response(full, { status: 429 });
    }
    const now = this.#time.now();
    const offer = caller.role === 'agent' ? receiveOffer(request) : null;
    const admission = offer === null ? null : this.#door.judge(offer, caller.credential, now);
    if (admission?.kind === 'refuse') return new Response(admission.why, { status: 403 });
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours);
    const { role, credential, client, session } = caller;
    if (role !== 'agent') this.#sockets.admitClient(ours, role, credential, client, session);
    const challenge = offer === null ? {} : this.#door.enter(ours, offer, credential, now);
    this.#reporting.connected(caller.workspace);
    this.#presence.plan(now);
    // The pause starts with the next message: until a pause ends, later events are under way, and an upgrade that is
    // answered meanwhile keeps the object awake as long as its socket is open (workerd before 1.20260805).
    this.#sockets.turn.spend(CONNECT_COST, now);
    this.#reporting.settle(now);
    const subprotocol = request.headers.get('Sec-WebSocket-Protocol') ?? '';
    const headers = { 'Sec-WebSocket-Protocol': subprotocol, ...challenge };
    return new Response(null, { status: 101, webSocket: theirs, headers });
  }

  /** Whether the caller's credential is still valid. Checked before a cookie or a ticket is issued. */
  checkCredential(caller: Caller): Answer<null> {
    return this.#answer(caller, () => null);
  }

  health(caller: Caller): Answer<WorkspaceHealth> {
    return this.#answer(caller, () => workspaceHealth(this.#sockets));
  }

  figures(caller: Caller): Answer<WorkspaceFigures> {
    return this.#answer(caller, () => workspaceFigures(this.#sockets));
  }

  sessions(caller: Caller, query: { key: string | null; missingToo: boolean }): Answer<SessionsReport> {
    return this.#answer(caller, (now) => sessionsReport(this.#sockets, query, caller, now));
  }

  /** One session, even if it is lost; null when it is unknown, or not the caller's. */
  session(caller: Caller, id: string): Answer<SessionInfo | null> {
    const isHidden = caller.session !== undefined && caller.session !== id;
    return this.#answer(caller, (now) => {
      const session = isHidden ? null : this.#sockets.registry.sessions.get(id, now);
      return session === null ? null : { ...session, ...this.#sockets.people.in(id, caller) };
    });
  }

  audit(caller: Caller, query: AuditQuery): Answer<AuditPage> {
    return this.#answer(caller, (now) => {
      const page = this.#journal.read(query, now);
      this.#sockets.turn.spend(page.entries.length * AUDIT_ENTRY_COST, now);
      return page;
    });
  }

  /** The agent's pinned key; null when the next agent that offers a key will be pinned. */
  agentKey(caller: Caller): Answer<PinnedKey | null> {
    return this.#answer(caller, () => this.#sockets.registry.agentKey());
  }

  changeAgentKey(caller: Caller, change: AgentKeyChange): Answer<'done' | 'taken'> {
    return this.#answer(caller, (now) => {
      const action = this.#door.changeKey(change, caller.credential.tokenId, now);
      if (action === 'taken') return action;
      this.#journal.did(callerActor(caller), action, now);
      return 'done';
    });
  }

  revocations(caller: Caller, request: RevocationRequest): Answer<RevocationAnswer> {
    return this.#answer(caller, (now) => this.#revoking.perform(caller, request, now));
  }

  shareLinks(caller: Caller, request: LinkRequest): Answer<LinkAnswer> {
    return this.#answer(caller, (now) => this.#sharing.perform(caller, request, now));
  }

  /** The public half of the key that browsers need to subscribe. */
  async pushKey(caller: Caller): Promise<Answer<string>> {
    const checked = this.#answer(caller, () => null);
    return checked.ok ? { ok: true, value: await this.#reporting.pushes.publicKey() } : checked;
  }

  subscribe(caller: Caller, asked: AskedSubscription): Answer<SubscribeOutcome> {
    return this.#answer(caller, (now) =>
      this.#reporting.pushes.subscribe(subscriptionOf(caller, asked), now),
    );
  }

  /** False when this person has no such subscription. */
  unsubscribe(caller: Caller, id: string): Answer<boolean> {
    return this.#answer(caller, () => this.#reporting.pushes.unsubscribe(id, personOf(caller)));
  }

  override alarm(): void {
    const now = this.#time.now();
    this.#alarm.rang();
    this.#presence.alarm(now);
    this.#reporting.alarm(now);
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const now = this.#time.now();
    // Before any peer is judged: after the whole machine was suspended, this message may be the first sign of life.
    this.#sockets.heard(socket, now);
    this.#presence.look(now);
    this.#sockets.settle(now);
    const peer = this.#sockets.board.peerOf(socket);
    if (peer === undefined) {
      this.#unseated(socket, message, now);
      this.#sockets.turn.spend(unseatedCost(message), now);
      return this.#giveWay();
    }
    try {
      if (!this.#sockets.pace.admits(socket, peer, message, now)) return this.#giveWay();
      if (message === 'ping') this.#sockets.outbox.tellText(socket, 'pong');
      else if (typeof message === 'string') this.#control(socket, peer, message, now);
      else this.#sockets.frames.forward(socket, peer, message, now);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#journal.refused(actorOf(peer), 'malformed', now);
      this.#sockets.expel(socket, CLOSE.protocolError, error.message);
    }
    this.#reporting.settle(now);
    this.#giveWay();
  }

  /** The hibernation API leaves the closing handshake to us. */
  override webSocketClose(socket: WebSocket, code: number, reason: string, wasClean: boolean): void {
    this.#left(socket);
    if (!wasClean || socket.readyState === WebSocket.CLOSED) return;
    if (mayBeSent(code)) socket.close(code, reason);
    else socket.close();
  }

  override webSocketError(socket: WebSocket): void {
    this.#left(socket);
  }

  #left(socket: WebSocket): void {
    const now = this.#time.now();
    this.#sockets.left(socket);
    this.#presence.look(now);
    this.#reporting.settle(now);
  }

  /** A message from an agent that must prove its key, or a late message from a peer that was already closed. */
  #unseated(socket: WebSocket, message: string | ArrayBuffer, now: number): void {
    const pending = this.#sockets.pending.of(socket);
    if (pending === undefined) return;
    if (message === 'ping' && this.#sockets.pending.mayPing(socket)) return socket.send('pong');
    this.#door.received(socket, pending, message, now);
    this.#presence.plan(now);
  }

  #control(socket: WebSocket, peer: Peer, text: string, now: number): void {
    const limit = peer.role === 'agent' ? AGENT_CONTROL_MAX_BYTES : CLIENT_CONTROL_MAX_BYTES;
    if (isLongerThan(text, limit)) {
      this.#journal.refused(actorOf(peer), 'too_large', now);
      this.#sockets.expel(socket, CLOSE.tooLarge, `A message has over ${limit} bytes.`);
    } else if (peer.role === 'agent') {
      const message = parseAgentMessage(text);
      handleAgentMessage(this.#sockets, this.#presence, peer, message, now);
      this.#reporting.heard(message);
    } else {
      handleClientMessage(this.#sockets, socket, peer, parseClientMessage(text), now);
    }
  }

  #answer<T>(caller: Caller, compose: (now: number) => T): Answer<T> {
    const now = this.#time.now();
    const refusal = this.#refusalOf(caller, now);
    if (refusal !== null) return refusal;
    this.#sockets.turn.spend(1, now);
    const value = compose(now);
    this.#reporting.settle(now);
    this.#giveWay();
    return { ok: true, value };
  }

  /** The refusal of a credential that is no longer valid; null when it is valid. */
  #refusalOf(caller: Caller, now: number): Extract<Answer<never>, { ok: false }> | null {
    this.#presence.look(now);
    this.#sockets.settle(now);
    if (this.#presence.isLockedOut(caller.credential)) {
      this.#journal.refused(callerActor(caller), 'revoked', now);
      return { ok: false, why: 'The token has been revoked.' };
    }
    if (caller.ticket !== undefined && !this.#sockets.registry.redeem(caller.ticket, now)) {
      this.#journal.refused(callerActor(caller), 'ticket_used', now);
      return { ok: false, why: 'The ticket has been used.' };
    }
    return null;
  }

  /** Pauses when this workspace has used up its turn, so that others are served. [RL17] */
  #giveWay(): void {
    const { turn } = this.#sockets;
    const { pauseMs } = turn;
    if (pauseMs > 0) this.#time.pause(pauseMs, turn.beginPause());
  }
}
