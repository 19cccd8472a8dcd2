/** What the relay does with the agent's message: keeps the registry true, and delivers. */
import type { AgentMessage, SessionInfo } from '../protocol/messages.ts';
import type { Room } from './room.ts';
import type { AgentPeer } from './switchboard.ts';

export function handleAgentMessage(room: Room, peer: AgentPeer, message: AgentMessage): void {
  const { board, registry } = room;
  switch (message.type) {
    case 'hello':
      registry.agentOnline(message.epoch, new Date());
      inventory(room, peer, message.sessions, message.more);
      return;
    case 'inventory':
      inventory(room, peer, message.sessions, message.more);
      return;
    case 'session_changed':
      registry.put(message.session, peer.generation);
      return;
    case 'session_gone':
      registry.remove(message.session);
      return;
    case 'subscribe':
      room.remember(board.subscribe(message.channel, message.handle));
      return;
    case 'unsubscribe':
      room.remember(board.unsubscribe(message.channel, message.handle));
      return;
    case 'to_client': {
      const socket = board.client(message.channel);
      if (socket !== null) room.tell(socket, message.message);
      return;
    }
    case 'to_clients':
      room.tellClients(message.message);
      return;
    case 'ask_presence':
      room.tellPresence(message.question);
      return;
  }
}

/** Pages go straight into the registry, marked with this connection; the last one settles what is missing. */
function inventory(room: Room, peer: AgentPeer, page: readonly SessionInfo[], more: boolean): void {
  for (const session of page) room.registry.put(session, peer.generation);
  if (more) return;
  room.registry.reconcile(peer.generation);
  room.tellPresence();
  // A new agent connection is a reconnect for everybody. [RL4]
  room.tellClients({ type: 'agent_state', agent: room.registry.agent() });
}
