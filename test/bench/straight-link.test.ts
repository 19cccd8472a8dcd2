/** The replacement for the relay when the agent is measured alone. */
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { straightTo } from '../../bench/contenders/straight-link.ts';
import type { WireFrame } from '../../protocol/connection.ts';
import { decodeFrame, encodeFrame } from '../../protocol/frame.ts';

function link() {
  const toAgent: WireFrame[] = [];
  const toClient: WireFrame[] = [];
  const agent = Object.assign(new EventEmitter(), { send: (frame: WireFrame) => void toAgent.push(frame) });
  const client = straightTo(agent as unknown as WebSocket)({
    opened() {},
    received: (frame) => void toClient.push(frame),
    closed() {},
  });
  const says = (text: string) => agent.emit('message', Buffer.from(text), false);
  return { toAgent, toClient, agent, client, says };
}

it('[P27] forwards what the client sends as the relay would', () => {
  const { toAgent, client } = link();
  client.send('{"type":"read_metrics","request":"1"}');
  client.send(encodeFrame({ kind: 'input', channel: 0, handle: 7, offset: 0 }, Uint8Array.of(107)));
  const [said, frame] = toAgent;
  expect(JSON.parse(said as string)).toEqual({
    type: 'from_client',
    channel: 1,
    role: 'operator',
    message: { type: 'read_metrics', request: '1' },
  });
  expect(decodeFrame(frame as Uint8Array<ArrayBuffer>)).toMatchObject({ channel: 1, handle: 7 });
});

it('[P27] tells the client that the agent is online, then forwards only messages meant for clients', async () => {
  const { toClient, agent, says } = link();
  await Promise.resolve();
  says('{"type":"to_client","channel":1,"message":{"type":"metrics","request":"1","text":""}}');
  says('{"type":"subscribe","channel":1,"handle":7}');
  agent.emit('message', Buffer.of(1, 2, 3), true);
  expect(toClient.slice(1)).toEqual(['{"type":"metrics","request":"1","text":""}', Uint8Array.of(1, 2, 3)]);
  expect(JSON.parse(toClient[0] as string)).toMatchObject({ type: 'agent_state', role: 'operator' });
});

it('[P27] answers heartbeats of both sides', () => {
  const { toAgent, toClient, client, says } = link();
  client.send('ping');
  says('ping');
  expect([toAgent, toClient]).toEqual([['pong'], ['pong']]);
});
