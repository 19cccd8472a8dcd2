/** The object sleeps while its sockets stay open, and wakes with its state intact. */
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import {
  attachClient,
  bytes,
  connectAgent,
  connectClient,
  input,
  output,
  questioned,
} from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { TestRelay } from '../../support/test-relay.ts';

async function connectPair(relay: TestRelay): Promise<{ agent: ScriptedPeer; client: ScriptedPeer }> {
  return { agent: await connectAgent(relay), client: await connectClient(relay) };
}

describe('hibernation', () => {
  it('[F6] [S1] an eviction between any two events of a conversation has no visible effect', async () => {
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

  it('[S1] [WF7] an idle page and agent let the object sleep, their heartbeats do not wake it, and a key does', async () => {
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

  it('[RL9] an idle page and agent cause no wake-up in ten minutes: no event, no alarm', async () => {
    await using relay = await TestRelay.start();
    const agent = await connectAgent(relay);
    const { client } = await attachClient(relay, agent);
    await relay.evict('hibernate');
    const before = await relay.counts();
    for (let elapsed = 0; elapsed < 600_000; elapsed += 10_000) {
      await relay.advance(10_000);
      await Promise.all([agent.pong(), client.pong()]);
    }
    expect(await relay.counts()).toEqual(before);
    // … and although nobody checked for so long, nobody is considered dead.
    client.send(input(0, 'k'));
    expect((await agent.frame()).payload).toEqual(bytes('k'));
    expect((await questioned(agent)).clients).toHaveLength(1);
  });

  it('[F6] [S1] the whole story of a workspace passes with an eviction between every two events', async () => {
    await using relay = await TestRelay.start();
    const sleep = () => relay.evict('hibernate');
    const old = await connectAgent(relay, {
      sessions: [sessionInfo('s1'), sessionInfo('s2')],
      graceMs: 60_000,
    });
    await sleep();
    const ann = await connectClient(relay);
    await sleep();
    const ben = await connectClient(relay, 'viewer');
    await sleep();
    ann.send({
      type: 'save_layout',
      request: 'w',
      layout: { tabs: [{ session: 's1', name: 'One' }], active: 's1' },
    });
    await ann.message('layout');
    await sleep();
    ben.send({ type: 'load_layout', request: 'w' });
    expect(await ben.message('layout')).toMatchObject({ layout: { active: 's1' } });
    await sleep();
    const channels: number[] = [];
    for (const client of [ann, ben]) {
      client.send({
        type: 'reattach_session',
        request: 'r',
        session: 's1',
        instance: 'i',
        cols: 80,
        rows: 24,
      });
      const { channel } = await old.message<{ type: string; channel: number }>('from_client');
      channels.push(channel);
      await sleep();
      old.send({ type: 'subscribe', channel, handle: 7 });
      await old.pong();
      await sleep();
    }
    old.send(output(0, 0, 'for both'));
    for (const client of [ann, ben]) expect((await client.frame()).payload).toEqual(bytes('for both'));
    await sleep();
    ben.send(input(0, 'rm'));
    expect(await ben.message('error')).toMatchObject({ code: 'forbidden' });
    await sleep();
    ann.send(input(0, 'ls'));
    expect(await old.frame()).toMatchObject({ channel: channels[0], payload: bytes('ls') });
    await sleep();

    const heir = await connectAgent(relay, { epoch: 'epoch-2', sessions: [sessionInfo('s2')] });
    expect((await old.closed).code).toBe(4409);
    for (const client of [ann, ben]) {
      expect(await client.message('agent_state')).toMatchObject({
        agent: { epoch: 'epoch-2', generation: 2 },
      });
    }
    await sleep();
    heir.send(output(0, 0, 'nobody is subscribed on this link'));
    await heir.pong();
    await sleep();
    ann.send({ type: 'list_sessions', request: 'l', include: 'lost' });
    expect(await ann.message('session_list')).toMatchObject({
      sessions: [
        { id: 's1', status: 'lost' },
        { id: 's2', status: 'running' },
      ],
    });
    await sleep();
    ben.terminate();
    expect(await heir.message('client_dropped')).toMatchObject({ generation: 2, channel: channels[1] });
    await sleep();
    expect(await questioned(heir)).toEqual({ clients: [channels[0]], before: [] });
    await sleep();
    await heir[Symbol.asyncDispose]();
    expect(await ann.message('agent_state')).toMatchObject({ agent: { state: 'offline' } });
    await sleep();
    ann.send({ type: 'create_session', request: 'c', cols: 80, rows: 24 });
    expect(await ann.message('error')).toMatchObject({ code: 'agent_offline' });
    expect(ann.unread).toEqual([]);
  });

  it('[S1] the platform puts an idle object to sleep, although a page and an agent are connected', async () => {
    await using relay = await TestRelay.start();
    const { agent, client } = await connectPair(relay);
    const awake = await relay.constructions();
    // workerd hibernates an object after 10 s without events; heartbeats continue meanwhile and must not count.
    for (let second = 0; second < 12; second++) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await Promise.all([agent.pong(), client.pong()]);
    }
    client.send(encodeFrame({ kind: 'input', channel: 0, handle: 7, offset: 0 }, bytes('k')));
    expect((await agent.frame()).payload).toEqual(bytes('k'));
    expect(await relay.constructions()).toBe(awake + 1);
  });
});
