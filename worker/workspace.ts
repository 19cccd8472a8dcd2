/**
 * One Durable Object per workspace: where its agent and its clients meet.
 *
 * A thin shell: it takes the platform's events and hands them on. The platform may evict it between any two
 * of them while the sockets stay open, so nothing that matters lives in its fields: what it knows of a
 * socket is in that socket's attachment, what it knows of sessions is in SQLite.
 */
import { DurableObject } from 'cloudflare:workers';
import { CLOSE, mayBeSent } from '../protocol/close-codes.ts';
import { ProtocolError } from '../protocol/errors.ts';
import { AGENT_CONTROL_MAX_BYTES, CLIENT_CONTROL_MAX_BYTES } from '../protocol/limits.ts';
import { parseAgentMessage, parseClientMessage, type SessionInfo } from '../protocol/messages.ts';
import { handleAgentMessage } from './agent-messages.ts';
import { Attendance } from './attendance.ts';
import { isLongerThan } from './byte-length.ts';
import { type Caller, readCaller } from './caller.ts';
import { handleClientMessage } from './client-messages.ts';
import type { Env } from './env.ts';
import type { Peer } from './peer.ts';
import { Registry } from './registry.ts';
import { type SessionsReport, sessionsReport, type WorkspaceHealth, workspaceHealth } from './reports.ts';
import type { Revocation } from './revocation.ts';
import { Room } from './room.ts';
import { platformTime, type Time } from './time.ts';

/** What the object answers to the Worker; a refusal is for the caller's credential. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: 'The token has been revoked.' | 'The ticket has been used.' };

export class Workspace extends DurableObject<Env> {
  readonly #room: Room;
  readonly #attendance: Attendance;
  readonly #time: Time;

  constructor(ctx: DurableObjectState, env: Env, time: Time = platformTime(ctx)) {
    super(ctx, env);
    // Answered by the platform, so that a heartbeat neither wakes nor bills this object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    this.#time = time;
    this.#room = new Room(new Registry(ctx.storage.sql, time.now()), ctx.getWebSockets(), time);
    this.#attendance = new Attendance(this.#room, time);
  }

  /** Reached only through the gate; the request says who is calling. */
  override fetch(request: Request): Response {
    const caller = readCaller(request);
    const answer = this.#answer(caller, () => null);
    if (!answer.ok) return new Response(answer.why, { status: 401 });
    const full = caller.role === 'agent' ? null : this.#room.fullFor(caller.role, caller.credential);
    if (full !== null) return new Response(full, { status: 429 });
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours);
    if (caller.role === 'agent') this.#room.seatAgent(ours, caller.credential);
    else this.#room.seatClient(ours, caller.role, caller.credential);
    this.#attendance.plan(this.#time.now());
    const headers = { 'Sec-WebSocket-Protocol': request.headers.get('Sec-WebSocket-Protocol') ?? '' };
    return new Response(null, { status: 101, webSocket: theirs, headers });
  }

  /** Whether the caller's credential still counts: all there is to ask before a cookie or a ticket is made. */
  vouch(caller: Caller): Answer<null> {
    return this.#answer(caller, () => null);
  }

  health(caller: Caller): Answer<WorkspaceHealth> {
    return this.#answer(caller, () => workspaceHealth(this.#room, this.#time.now()));
  }

  sessions(caller: Caller, query: { key: string | null; missingToo: boolean }): Answer<SessionsReport> {
    return this.#answer(caller, () => sessionsReport(this.#room, query, this.#time.now()));
  }

  /** One session, also when the agent came back without it; null when nobody knows it. */
  session(caller: Caller, id: string): Answer<SessionInfo | null> {
    return this.#answer(caller, (now) => this.#room.registry.session(id, now));
  }

  /** False when no more can be remembered. */
  revoke(caller: Caller, revocation: Revocation): Answer<boolean> {
    return this.#answer(caller, (now) => this.#attendance.revoke(revocation, now));
  }

  override alarm(): void {
    this.#attendance.alarm(this.#time.now());
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const now = this.#time.now();
    this.#attendance.look(now);
    const peer = this.#room.board.peerOf(socket);
    if (peer === undefined) return; // seen off already; this was on its way
    try {
      if (!this.#room.admits(socket, peer, message, now)) return;
      if (typeof message === 'string') this.#control(socket, peer, message, now);
      else this.#room.forward(socket, peer, message);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#room.expel(socket, CLOSE.protocolError, error.message);
    }
  }

  /** The hibernation API leaves the closing handshake to us. */
  override webSocketClose(socket: WebSocket, code: number, reason: string, wasClean: boolean): void {
    this.#room.left(socket);
    this.#attendance.look(this.#time.now());
    if (!wasClean || socket.readyState === WebSocket.CLOSED) return;
    if (mayBeSent(code)) socket.close(code, reason);
    else socket.close();
  }

  override webSocketError(socket: WebSocket): void {
    this.#room.left(socket);
    this.#attendance.look(this.#time.now());
  }

  #control(socket: WebSocket, peer: Peer, text: string, now: number): void {
    const limit = peer.role === 'agent' ? AGENT_CONTROL_MAX_BYTES : CLIENT_CONTROL_MAX_BYTES;
    if (isLongerThan(text, limit)) {
      this.#room.expel(socket, CLOSE.tooLarge, `A message of over ${limit} bytes.`);
    } else if (peer.role === 'agent') {
      handleAgentMessage(this.#room, this.#attendance, peer, parseAgentMessage(text), now);
    } else {
      handleClientMessage(this.#room, socket, peer, parseClientMessage(text), now);
    }
  }

  #answer<T>(caller: Caller, compose: (now: number) => T): Answer<T> {
    const now = this.#time.now();
    this.#attendance.look(now);
    if (this.#attendance.isLockedOut(caller.credential)) {
      return { ok: false, why: 'The token has been revoked.' };
    }
    if (caller.ticket !== undefined && !this.#room.registry.redeem(caller.ticket, now)) {
      return { ok: false, why: 'The ticket has been used.' };
    }
    return { ok: true, value: compose(now) };
  }
}
