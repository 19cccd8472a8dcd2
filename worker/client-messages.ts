/** What the relay does with a client's message: answers from the registry, refuses, or passes it on. */
import { Refusal } from '../protocol/errors.ts';
import type { ClientMessage } from '../protocol/messages.ts';
import type { Room } from './room.ts';
import type { ClientPeer } from './switchboard.ts';

/** A viewer watches: it may ask for a list and follow a session, and change nothing. [RL7] */
const FOR_VIEWERS: ReadonlySet<ClientMessage['type']> = new Set([
  'list_sessions',
  'reattach_session',
  'detach_session',
]);

export function handleClientMessage(
  room: Room,
  socket: WebSocket,
  peer: ClientPeer,
  message: ClientMessage,
): void {
  if (message.type === 'list_sessions') {
    const { registry } = room;
    room.tell(socket, {
      type: 'session_list',
      request: message.request,
      agent: registry.agent(),
      sessions: registry.sessions(),
    });
    return;
  }
  const refusal = refusalOf(room, peer, message);
  if (refusal !== null) {
    room.tell(socket, {
      type: 'error',
      code: refusal.code,
      message: refusal.message,
      ...('request' in message ? { request: message.request } : {}),
      ...('session' in message ? { session: message.session } : {}),
    });
    return;
  }
  room.tellAgent({ type: 'from_client', channel: peer.channel, role: peer.role, message });
}

function refusalOf(room: Room, peer: ClientPeer, message: ClientMessage): Refusal | null {
  if (peer.role === 'viewer' && !FOR_VIEWERS.has(message.type)) {
    return new Refusal('forbidden', 'This link is for watching only.');
  }
  if (room.board.agent === null) {
    return new Refusal(
      'agent_offline',
      'The machine is not connected. It is tried again when it comes back.',
    );
  }
  return null;
}
