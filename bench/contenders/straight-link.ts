/** A client directly at the agent's socket: does what a relay does for a single client, and nothing else. */
import type { WebSocket } from 'ws';
import type { Dial, WireFrame } from '../../protocol/connection.ts';
import { stampChannel } from '../../protocol/frame.ts';
import type { AgentMessage, RelayMessage } from '../../protocol/messages/agent-message.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';

const CHANNEL = 1;
const GENERATION = 1;

export function straightTo(agent: WebSocket): Dial {
  return ({ opened, received }) => {
    agent.on('message', (data: Buffer<ArrayBuffer>, isBinary) => {
      if (isBinary) return received(new Uint8Array(data.buffer, data.byteOffset, data.length));
      for (const message of forClient(agent, data.toString())) received(message);
    });
    queueMicrotask(() => {
      opened();
      const presence = { state: 'online', since: null, epoch: null, generation: GENERATION } as const;
      received(text({ type: 'agent_state', agent: presence, role: 'operator' }));
    });
    return {
      send: (frame) => fromClient(agent, frame, received),
      close: () => agent.terminate(),
    };
  };
}

function* forClient(agent: WebSocket, said: string): Iterable<string> {
  if (said === 'ping') return agent.send('pong');
  const message = JSON.parse(said) as AgentMessage;
  if (message.type === 'to_client' || message.type === 'to_clients') yield text(message.message);
}

function fromClient(agent: WebSocket, frame: WireFrame, answer: (text: string) => void): void {
  if (frame === 'ping') return answer('pong');
  if (typeof frame !== 'string') {
    stampChannel(frame, CHANNEL);
    return agent.send(frame);
  }
  const message = JSON.parse(frame) as ClientMessage;
  agent.send(text({ type: 'from_client', channel: CHANNEL, role: 'operator', message }));
}

const text = (message: ServerMessage | RelayMessage): string => JSON.stringify(message);
