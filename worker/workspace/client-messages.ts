/** Handles messages from a client: answers from the registry, refuses, or forwards to the agent. */
import { Refusal } from '../../protocol/errors.ts';
import { LIST_PAGE_MAX_BYTES, SESSIONS_MAX } from '../../protocol/limits.ts';
import type { ClientMessage, ClientMessageOf } from '../../protocol/messages.ts';
import { actorOf } from '../audit/audit-journal.ts';
import { ownerOf } from '../peers/owner.ts';
import type { ClientPeer } from '../peers/peer.ts';
import { byteLength } from '../platform/byte-length.ts';
import { pagesOf, withSessions } from '../registry/session-lists.ts';
import { observeRequest } from './audit-observer.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

/** What a viewer may send: it may list and watch sessions, and change nothing. [RL7] */
const FOR_VIEWERS: ReadonlySet<ClientMessage['type']> = new Set([
  'list_sessions',
  'refresh_sessions',
  'load_layout',
  'reattach_session',
  'hide_session',
  'detach_session',
  'take_snapshot',
  'read',
]);

/** Room for the JSON around the sessions of a page. */
const LIST_FRAME_BYTES = 512;

export function handleClientMessage(
  room: WorkspaceSockets,
  socket: WebSocket,
  peer: ClientPeer,
  message: ClientMessage,
  now: number,
): void {
  const before = room.turn.spent;
  perform(room, socket, peer, message, now);
  // Lists have their own, much lower limit. [RL16]
  if (message.type !== 'list_sessions') room.chargeToken(socket, room.turn.spent - before, now);
}

function perform(
  room: WorkspaceSockets,
  socket: WebSocket,
  peer: ClientPeer,
  message: ClientMessage,
  now: number,
): void {
  const refusal = refusalOf(room, peer, message);
  if (refusal !== null) {
    const { code } = refusal;
    if (code === 'forbidden' || code === 'session_limit') room.journal?.refused(actorOf(peer), code, now);
    return refuse(room, socket, message, refusal);
  }
  switch (message.type) {
    case 'list_sessions': {
      const retryAfterMs = room.lists.waitMs(ownerOf(peer), now);
      if (retryAfterMs > 0) return refuse(room, socket, message, tooManyLists, retryAfterMs);
      return list(room, socket, peer, message, now);
    }
    case 'save_layout':
      room.registry.saveLayout(message.layout, now);
      return room.tell(socket, { type: 'layout', request: message.request, ...room.registry.layout() });
    case 'load_layout':
      return room.tell(socket, { type: 'layout', request: message.request, ...room.registry.layout() });
    case 'read':
      return room.unread.read(socket, message.mark);
    default:
      if (message.type === 'reattach_session' && message.answersReadChecks === true)
        room.willAnswerReadChecks(peer);
      room.tellAgent({ type: 'from_client', channel: peer.channel, role: peer.role, message });
      observeRequest(room, peer, message, now);
  }
}

function list(
  room: WorkspaceSockets,
  socket: WebSocket,
  peer: ClientPeer,
  message: ClientMessageOf<'list_sessions'>,
  now: number,
): void {
  const { request, include } = message;
  const texts = room.registry.sessions.texts({ missingToo: include === 'lost', now });
  const agent = room.agentPresence();
  const pages = pagesOf(texts, LIST_PAGE_MAX_BYTES - LIST_FRAME_BYTES);
  pages.forEach((page, i) => {
    if (room.board.peerOf(socket) === undefined) return; // closed, because it was sent too much
    const more = i + 1 < pages.length ? { more: true } : {};
    const text = withSessions({ type: 'session_list', request, agent }, page, more);
    const bytes = byteLength(text);
    room.tookList(ownerOf(peer), bytes, now);
    room.tellText(socket, text, bytes);
  });
}

const tooManyLists = new Refusal(
  'slow_down',
  'This token has requested too many long lists. Wait, then try again.',
);

function refuse(
  room: WorkspaceSockets,
  socket: WebSocket,
  message: ClientMessage,
  refusal: Refusal,
  retryAfterMs?: number,
): void {
  room.tell(socket, {
    type: 'error',
    code: refusal.code,
    message: refusal.message,
    ...('request' in message && message.request !== undefined ? { request: message.request } : {}),
    ...('session' in message ? { session: message.session } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Answered by the relay, with or without an agent. */
const FROM_THE_REGISTRY: ReadonlySet<ClientMessage['type']> = new Set([
  'list_sessions',
  'load_layout',
  'save_layout',
  'read',
]);

function refusalOf(room: WorkspaceSockets, peer: ClientPeer, message: ClientMessage): Refusal | null {
  if (peer.role === 'viewer' && !FOR_VIEWERS.has(message.type)) {
    return new Refusal('forbidden', 'This link is view-only.');
  }
  if (FROM_THE_REGISTRY.has(message.type)) return null;
  if (room.board.agent === null) {
    return new Refusal('agent_offline', 'The machine is not connected. This is retried when it comes back.');
  }
  if (message.type === 'create_session' && room.registry.sessions.isFull()) {
    return new Refusal('session_limit', `A workspace has at most ${SESSIONS_MAX} sessions; close one first.`);
  }
  return null;
}
