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
import { type AgentPresence, parseAgentMessage, parseClientMessage } from '../protocol/messages.ts';
import { handleAgentMessage } from './agent-messages.ts';
import { handleClientMessage } from './client-messages.ts';
import type { Env } from './env.ts';
import { readPrincipal } from './principal-header.ts';
import { Registry } from './registry.ts';
import { Room } from './room.ts';
import type { Peer } from './switchboard.ts';

export interface WorkspaceHealth {
  readonly agent: AgentPresence;
  /** Orphaned sessions are among the running ones. */
  readonly sessions: { readonly running: number; readonly orphaned: number; readonly exited: number };
  readonly clients: number;
}

export class Workspace extends DurableObject<Env> {
  readonly #room: Room;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    // Answered by the platform, so that a heartbeat neither wakes nor bills this object.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    this.#room = new Room(new Registry(ctx.storage.sql), ctx.getWebSockets());
  }

  /** Reached only through the gate; the request says who is calling. */
  override fetch(request: Request): Response {
    const { role } = readPrincipal(request);
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours);
    if (role === 'agent') this.#room.seatAgent(ours);
    else this.#room.seatClient(ours, role);
    const subprotocol = request.headers.get('Sec-WebSocket-Protocol') ?? '';
    const headers = { 'Sec-WebSocket-Protocol': subprotocol };
    return new Response(null, { status: 101, webSocket: theirs, headers });
  }

  health(): WorkspaceHealth {
    const { board, registry } = this.#room;
    const sessions = registry.sessions();
    const running = sessions.filter((session) => session.status === 'running');
    return {
      agent: registry.agent(),
      sessions: {
        running: running.length,
        orphaned: running.filter((session) => session.attached === 0).length,
        exited: sessions.length - running.length,
      },
      clients: board.clients().length,
    };
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const peer = this.#room.board.peerOf(socket);
    if (peer === undefined) return; // seen off already; this was on its way
    try {
      if (typeof message === 'string') this.#control(socket, peer, message);
      else this.#room.forward(socket, peer, new Uint8Array(message));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#room.expel(socket, CLOSE.protocolError, error.message);
    }
  }

  /** The hibernation API leaves the closing handshake to us. */
  override webSocketClose(socket: WebSocket, code: number, reason: string, wasClean: boolean): void {
    this.#room.left(socket);
    if (!wasClean || socket.readyState === WebSocket.CLOSED) return;
    if (mayBeSent(code)) socket.close(code, reason);
    else socket.close();
  }

  override webSocketError(socket: WebSocket): void {
    this.#room.left(socket);
  }

  #control(socket: WebSocket, peer: Peer, text: string): void {
    const limit = peer.role === 'agent' ? AGENT_CONTROL_MAX_BYTES : CLIENT_CONTROL_MAX_BYTES;
    if (text.length > limit) {
      this.#room.expel(socket, CLOSE.tooLarge, `A message of over ${limit} characters.`);
    } else if (peer.role === 'agent') {
      handleAgentMessage(this.#room, peer, parseAgentMessage(text));
    } else {
      handleClientMessage(this.#room, socket, peer, parseClientMessage(text));
    }
  }
}
