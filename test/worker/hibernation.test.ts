/** The object sleeps while its sockets stay, and wakes without having forgotten anything. */
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../protocol/frame.ts';
import { ScriptedPeer } from '../support/scripted-peer.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { TestRelay } from '../support/test-relay.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

async function connectPair(relay: TestRelay): Promise<{ agent: ScriptedPeer; client: ScriptedPeer }> {
  const agent = await ScriptedPeer.connect(new URL('/ws/agent/test', relay.url), await relay.bearer('agent'));
  agent.send({ type: 'hello', version: 1, epoch: 'e1', sessions: [sessionInfo('s1')], more: false });
  await agent.message('presence');
  const client = await ScriptedPeer.connect(
    new URL('/ws/workspaces/test', relay.url),
    await relay.bearer('operator'),
  );
  await client.message('agent_state');
  return { agent, client };
}

describe('hibernation', () => {
  it('[S1] an eviction between any two events of a conversation is invisible', async () => {
    await using relay = await TestRelay.start();
    const { agent, client } = await connectPair(relay);
    const before = await relay.constructions();
    const sleep = () => relay.evict('hibernate');

    await sleep();
    client.send({ type: 'reattach_session', request: 'r', session: 's1', instance: 'i', cols: 80, rows: 24 });
    const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
    await sleep();
    agent.send({ type: 'subscribe', channel, handle: 7 });
    await agent.pong();
    await sleep();
    agent.send(encodeFrame({ kind: 'output', channel: 0, handle: 7, offset: 0 }, bytes('printed')));
    expect((await client.frame()).payload).toEqual(bytes('printed'));
    await sleep();
    client.send(encodeFrame({ kind: 'input', channel: 0, handle: 7, offset: 0 }, bytes('typed')));
    expect(await agent.frame()).toMatchObject({ channel, payload: bytes('typed') });
    await sleep();
    client.send({ type: 'list_sessions', request: 'l' });
    expect(await client.message('session_list')).toMatchObject({
      agent: { state: 'online' },
      sessions: [{ id: 's1' }],
    });
    await sleep();
    await client[Symbol.asyncDispose]();
    expect(await agent.message('client_dropped')).toMatchObject({ channel });
    expect(await relay.constructions()).toBeGreaterThanOrEqual(before + 6);
  });

  it('[S1] an idle page and agent let the object sleep, their heartbeats do not wake it, and a key does', async () => {
    await using relay = await TestRelay.start();
    const { agent, client } = await connectPair(relay);
    await relay.evict('hibernate');
    const asleep = await relay.constructions();

    for (let beat = 0; beat < 20; beat++) {
      await agent.pong();
      await client.pong();
    }
    expect(await relay.constructions(), 'heartbeats are answered without it').toBe(asleep);

    client.send(encodeFrame({ kind: 'input', channel: 0, handle: 7, offset: 0 }, bytes('k')));
    expect((await agent.frame()).payload).toEqual(bytes('k'));
    expect(await relay.constructions(), 'a key wakes it once').toBe(asleep + 1);
  });

  it('[S1] the platform puts an idle object to sleep by itself, though a page and an agent are connected', async () => {
    await using relay = await TestRelay.start();
    const { agent, client } = await connectPair(relay);
    const awake = await relay.constructions();
    // workerd hibernates an object after 10 s without events; heartbeats go on meanwhile and must not count.
    for (let second = 0; second < 12; second++) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await Promise.all([agent.pong(), client.pong()]);
    }
    client.send(encodeFrame({ kind: 'input', channel: 0, handle: 7, offset: 0 }, bytes('k')));
    expect((await agent.frame()).payload).toEqual(bytes('k'));
    expect(await relay.constructions()).toBe(awake + 1);
  });
});
