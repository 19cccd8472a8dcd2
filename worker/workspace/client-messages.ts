/** Handles messages from a client: answers from the registry, refuses, or forwards to the agent. */

import { displayName } from '../../protocol/audit.ts';
import { Refusal, viewOnly } from '../../protocol/errors.ts';
import { LIST_PAGE_MAX_BYTES, SESSIONS_MAX } from '../../protocol/limits.ts';
import {
  CLIENT_MESSAGE_HANDLING,
  type ClientMessage,
  type ClientMessageOf,
} from '../../protocol/messages/client-message.ts';
import { errorMessage } from '../../protocol/messages/server-message.ts';
import { pagesOf } from '../../protocol/messages/session-info.ts';
import { actorOf } from '../audit/audit-journal.ts';
import { ownerOf } from '../peers/owner.ts';
import type { ClientPeer } from '../peers/peer.ts';
import { scopedRequest } from '../peers/scope.ts';
import { byteLength } from '../platform/byte-length.ts';
import { withSessions } from '../registry/session-lists.ts';
import { observeRequest } from './audit-observer.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

/** Room for the JSON around the sessions of a page. */
const LIST_FRAME_BYTES = 512;

export function handleClientMessage(
  room: WorkspaceSockets,
  socket: WebSocket,
  peer: ClientPeer,
  sent: ClientMessage,
  now: number,
): void {
  const before = room.turn.spent;
  const message = peer.session === undefined ? sent : scopedRequest(sent, peer.session);
  if (message instanceof Refusal) refuse(room, socket, peer, message, sent, now);
  else perform(room, socket, peer, message, now);
  // Lists have their own, much lower limit. [RL16]
  if (message instanceof Refusal || !isLongList(message))
    room.pace.chargeToken(socket, room.turn.spent - before, now);
}

function perform(
  room: WorkspaceSockets,
  socket: WebSocket,
  peer: ClientPeer,
  message: ClientMessage,
  now: number,
): void {
  if (message.type === 'hide_session' || message.type === 'detach_session')
    room.people.hidden(peer, message.session);
  const refusal = refusalOf(room, peer, message);
  if (refusal !== null) return refuse(room, socket, peer, refusal, message, now);
  switch (message.type) {
    case 'list_sessions': {
      if (message.session !== undefined) return describe(room, socket, peer, message, message.session, now);
      const retryAfterMs = room.lists.waitMs(ownerOf(peer), now);
      if (retryAfterMs > 0)
        return room.outbox.tell(socket, errorMessage(tooManyLists, message, retryAfterMs));
      return list(room, socket, peer, message, now);
    }
    case 'list_commands':
    case 'read_digest': {
      const retryAfterMs = room.lists.waitMs(ownerOf(peer), now);
      if (retryAfterMs > 0)
        return room.outbox.tell(socket, errorMessage(tooManyLists, message, retryAfterMs));
      room.pace.chargeToken(socket, SHORT_ANSWER_COST, now);
      room.lists.asked(ownerOf(peer), now);
      return forward(room, peer, message, now);
    }
    case 'save_layout':
      room.registry.saveLayout(message.layout, now);
      return room.outbox.tell(socket, {
        type: 'layout',
        request: message.request,
        ...room.registry.layout(),
      });
    case 'load_layout':
      return room.outbox.tell(socket, {
        type: 'layout',
        request: message.request,
        ...room.registry.layout(),
      });
    case 'read':
      return room.unread.read(socket, message.mark);
    default:
      if (message.type === 'reattach_session' && message.answersReadChecks === true)
        room.willAnswerReadChecks(peer);
      if (message.type === 'reattach_session') shows(room, peer, message);
      room.pace.chargeToken(socket, ANSWER_COSTS[message.type] ?? SHORT_ANSWER_COST, now);
      forward(room, peer, message, now);
  }
}

function refuse(
  room: WorkspaceSockets,
  socket: WebSocket,
  peer: ClientPeer,
  refusal: Refusal,
  message: ClientMessage,
  now: number,
): void {
  const { code } = refusal;
  if (code === 'forbidden' || code === 'session_limit') room.journal?.refused(actorOf(peer), code, now);
  // Repeats only what the client has named itself, which may be a session that it does not see.
  room.outbox.tellText(socket, JSON.stringify(errorMessage(refusal, message)));
}

function forward(room: WorkspaceSockets, peer: ClientPeer, message: ClientMessage, now: number): void {
  room.outbox.tellAgent({
    type: 'from_client',
    channel: peer.channel,
    role: peer.role,
    ...(NAMED.has(message.type) ? { name: displayName(peer.credential) } : {}),
    message,
  });
  observeRequest(room, peer, message, now);
}

/** Messages with which the agent is told who sends them: who typed, and who took the keyboard. */
const NAMED: ReadonlySet<ClientMessage['type']> = new Set([
  'reattach_session',
  'run_command',
  'type_text',
  'take_keyboard',
]);

/**
 * The cost of the agent's answer to an attach, about six messages, and to a request for a snapshot, which is recorded in
 * the audit trail; both without their data (frame-forwarder.ts). It is charged to the token that asked, because the
 * answer uses up the turn of the whole workspace. A viewer that asked without a pause, over several connections, made
 * every key of others wait for half a second or more. [RL27]
 */
const ANSWER_COSTS: Partial<Record<ClientMessage['type'], number>> = {
  reattach_session: 12,
  take_snapshot: 12,
};

/**
 * The cost of any other answer of the agent: a message, and a text for the client. The bytes of a list of commands, and
 * of a digest, count as a list.
 */
const SHORT_ANSWER_COST = 3;

const isLongList = (message: ClientMessage) =>
  message.type === 'list_sessions' && message.session === undefined;

/** A list of one session, or of none when it is unknown. It costs no more than other messages. */
function describe(
  room: WorkspaceSockets,
  socket: WebSocket,
  peer: ClientPeer,
  { request, people }: ClientMessageOf<'list_sessions'>,
  id: string,
  now: number,
): void {
  const session = room.registry.sessions.get(id, now);
  const watchers = people === true ? room.people.in(id, peer) : {};
  const sessions = session === null ? [] : [{ ...session, ...watchers }];
  room.outbox.tell(socket, { type: 'session_list', request, agent: room.agentPresence(), sessions });
}

function shows(
  room: WorkspaceSockets,
  peer: ClientPeer,
  { session, hidden, people }: ClientMessageOf<'reattach_session'>,
): void {
  if (hidden === true) room.people.hidden(peer, session);
  room.people.asks(peer, people === true);
  if (hidden !== true) room.people.shown(peer, session);
}

function list(
  room: WorkspaceSockets,
  socket: WebSocket,
  peer: ClientPeer,
  message: ClientMessageOf<'list_sessions'>,
  now: number,
): void {
  const { request, include } = message;
  const fields = message.people === true ? { field: room.people.fieldFor(peer) } : {};
  const texts = room.registry.sessions.texts({ missingToo: include === 'lost', now, ...fields });
  const agent = room.agentPresence();
  const pages = pagesOf(texts, byteLength, LIST_PAGE_MAX_BYTES - LIST_FRAME_BYTES);
  pages.forEach((page, i) => {
    if (room.board.peerOf(socket) === undefined) return; // closed, because it was sent too much
    const more = i + 1 < pages.length ? { more: true } : {};
    const text = withSessions({ type: 'session_list', request, agent }, page, more);
    const bytes = byteLength(text);
    room.lists.took(ownerOf(peer), bytes, now);
    room.outbox.tellText(socket, text, bytes);
  });
}

const tooManyLists = new Refusal(
  'slow_down',
  'This token has requested too many long lists. Wait, then try again.',
);

function refusalOf(room: WorkspaceSockets, peer: ClientPeer, message: ClientMessage): Refusal | null {
  const { answeredBy, forViewers, needs } = CLIENT_MESSAGE_HANDLING[message.type];
  if (peer.role === 'viewer' && !forViewers) return viewOnly();
  if (answeredBy === 'relay') return null;
  const isAboutCommands =
    message.type === 'list_commands' || (message.type === 'take_snapshot' && message.command !== undefined);
  // What an agent can do is not known before it has said hello.
  const isEarly = (isAboutCommands || needs !== undefined) && !room.hasAgentSaidHello;
  if (room.board.agent === null || isEarly) {
    return new Refusal('agent_offline', 'The machine is not connected. This is retried when it comes back.');
  }
  if (isAboutCommands && !room.agentListsCommands) {
    return new Refusal('unsupported', 'The agent of this machine is too old to list commands. Update it.');
  }
  if (needs !== undefined && !room.agentCan(needs)) {
    return new Refusal('unsupported', 'The agent of this machine is too old for this. Update it.');
  }
  if (message.type === 'create_session' && room.registry.sessions.isFull()) {
    return new Refusal('session_limit', `A workspace has at most ${SESSIONS_MAX} sessions; close one first.`);
  }
  return null;
}
