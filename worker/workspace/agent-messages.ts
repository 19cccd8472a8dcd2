/** Handles messages from the agent: updates the registry and delivers messages to clients. */

import { ProtocolError } from '../../protocol/errors.ts';
import { type AgentMessage, LINK_QUESTION } from '../../protocol/messages/agent-message.ts';
import { FROM_THE_RELAY, type ServerMessage } from '../../protocol/messages/server-message.ts';
import { endReasonOf, type SessionInfo } from '../../protocol/messages/session-info.ts';
import { ROW_COST } from '../metering/turn.ts';
import { ownerOf } from '../peers/owner.ts';
import type { AgentPeer } from '../peers/peer.ts';
import { handleIn } from '../peers/scope.ts';
import { byteLength } from '../platform/byte-length.ts';
import { observeAgent } from './audit-observer.ts';
import type { PresenceWatch } from './presence-watch.ts';
import type { WorkspaceSockets } from './workspace-sockets.ts';

export function handleAgentMessage(
  room: WorkspaceSockets,
  presence: PresenceWatch,
  peer: AgentPeer,
  message: AgentMessage,
  now: number,
): void {
  if ('message' in message && FROM_THE_RELAY.has(message.message.type)) return;
  // An unknown session cannot end, and nobody can have asked for its end.
  if (message.type === 'session_gone' && !room.registry.sessions.has(message.session)) return;
  perform(room, presence, peer, message, now);
  observeAgent(room, message, now);
}

function perform(
  room: WorkspaceSockets,
  presence: PresenceWatch,
  peer: AgentPeer,
  message: AgentMessage,
  now: number,
): void {
  const { board, registry } = room;
  switch (message.type) {
    case 'prove':
      throw new ProtocolError('a proof that was not asked for');
    case 'hello':
      // A `hello` is written to storage, which takes far longer than a message.
      if (peer.saidHello === true) throw new ProtocolError('a second hello on one link');
      if (registry.agent().epoch !== message.epoch) {
        registry.sessions.forgetHandles();
        room.journal?.typing.forgetHandles();
      }
      registry.agentOnline(message.epoch, now);
      room.remember(
        board.describeAgent({
          graceMs: message.graceMs ?? 0,
          answersReadChecks: message.answersReadChecks === true,
          listsCommands: message.listsCommands === true,
          can: message.can,
          trouble: message.trouble,
          build: message.build,
          saidHello: true,
        }),
      );
      inventory(room, peer, message.sessions, message.more, now);
      return;
    case 'inventory':
      inventory(room, peer, message.sessions, message.more, now);
      return;
    case 'session_changed':
      if (!room.writes.keep(message.session, peer.generation, now)) return;
      noteGraces(room, peer, [message.session]);
      return;
    case 'session_gone':
      room.turn.spend(ROW_COST, now);
      registry.sessions.gone(message.session, endReasonOf(message.reason), now);
      // Nobody is closed: who watches still sees how it ended. [SL8]
      registry.links.removeWhere(({ session }) => session === message.session);
      return;
    case 'subscribe': {
      const changed = board.subscribe(message.channel, message.handle);
      room.remember(changed);
      // From its first session on, somebody waits for the verdict on this client, so plan an alarm.
      if (changed?.peer.handles.length === 1) presence.plan(now);
      return;
    }
    case 'unsubscribe':
      room.remember(board.unsubscribe(message.channel, message.handle));
      return;
    case 'to_client': {
      const socket = board.client(message.channel);
      const told = socket === null ? null : room.outbox.scoped(socket, message.message);
      if (socket === null || told === null) return;
      const handle = handleIn(told);
      if (handle !== null) room.remember(board.ownHandle(message.channel, handle));
      if (told.type === 'session_driver') room.people.drives(message.channel, told.session, told.yours);
      return tellClient(room, socket, told, now);
    }
    case 'to_clients':
      room.outbox.tellClients(message.message);
      return;
    case 'read':
      if (board.agent !== null) room.unread.read(board.agent, message.mark);
      return;
    case 'ask_presence':
      room.outbox.tellPresence(message.question);
      // The agent asks because a time is up or a client owes acknowledgements. Find out which peers are dead. [RL9]
      if (message.question !== LINK_QUESTION) presence.plan(now, true);
      return;
  }
}

/** A list is charged to the token of the client: nobody else has asked for it. [RL16] */
function tellClient(room: WorkspaceSockets, socket: WebSocket, message: ServerMessage, now: number): void {
  const text = JSON.stringify(message);
  const bytes = byteLength(text);
  const peer = room.board.peerOf(socket);
  const isList = message.type === 'command_list' || message.type === 'digest';
  if (isList && peer !== undefined) room.lists.answered(ownerOf(peer), bytes, message.more !== true, now);
  room.outbox.tellText(socket, text, bytes);
}

/**
 * From the first session with its own grace period on, the agent waits to learn when that session's last client is
 * gone. [RL9]
 */
function noteGraces(room: WorkspaceSockets, peer: AgentPeer, sessions: readonly SessionInfo[]): void {
  if (peer.sessionsHaveGraces || sessions.every(({ graceMs }) => graceMs === undefined)) return;
  room.remember(room.board.describeAgent({ sessionsHaveGraces: true }));
}

/**
 * Stores each page in the registry, marked with this connection. After the last page, sessions that were not named are
 * lost.
 */
function inventory(
  room: WorkspaceSockets,
  peer: AgentPeer,
  page: readonly SessionInfo[],
  more: boolean,
  now: number,
): void {
  if (!page.every((session) => room.writes.keep(session, peer.generation, now))) return;
  noteGraces(room, peer, page);
  if (more) return;
  room.writes.settle(peer.generation, now);
  room.outbox.tellPresence();
  // A new agent connection is a reconnect for every client. [RL4]
  room.outbox.tellClients({ type: 'agent_state', agent: room.agentPresence() });
}
