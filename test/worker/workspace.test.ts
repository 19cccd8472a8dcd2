/** The relay between a scripted agent and scripted clients, on real workerd. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../protocol/frame.ts';
import type { ClientRole, ServerMessageOf } from '../../protocol/messages.ts';
import { ScriptedPeer } from '../support/scripted-peer.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { TestRelay } from '../support/test-relay.ts';

let relay: TestRelay;
beforeEach(async () => {
  relay = await TestRelay.start();
});
afterEach(() => relay[Symbol.asyncDispose]());

const HANDLE = 7;

async function connectAgent(epoch = 'epoch-1', sessions = [sessionInfo('s1')]): Promise<ScriptedPeer> {
  const agent = await ScriptedPeer.connect(new URL('/ws/agent/test', relay.url), await relay.bearer('agent'));
  agent.send({ type: 'hello', version: 1, epoch, sessions, more: false });
  await agent.message('presence');
  return agent;
}

async function connectClient(role: ClientRole = 'operator'): Promise<ScriptedPeer> {
  const client = await ScriptedPeer.connect(
    new URL('/ws/workspaces/test', relay.url),
    await relay.bearer(role),
  );
  await client.message('agent_state');
  return client;
}

/** The client's channel, learnt as an agent learns it: from the request it passes on. */
async function channelOf(client: ScriptedPeer, agent: ScriptedPeer): Promise<number> {
  client.send({ type: 'reattach_session', request: 'r', session: 's1', instance: 'i', cols: 80, rows: 24 });
  const { channel } = await agent.message<{ type: string; channel: number }>('from_client');
  return channel;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const output = (channel: number, offset: number, text: string, handle = HANDLE) =>
  encodeFrame({ kind: 'output', channel, handle, offset }, bytes(text));

describe('forwarding', () => {
  it('[RL2] stamps the channel on what a client sends, whatever it wrote there itself', async () => {
    const agent = await connectAgent();
    const client = await connectClient();
    const channel = await channelOf(client, agent);
    client.send(encodeFrame({ kind: 'input', channel: 4242, handle: HANDLE, offset: 3 }, bytes('ls')));
    expect(await agent.frame()).toMatchObject({
      kind: 'input',
      channel,
      handle: HANDLE,
      offset: 3,
      payload: bytes('ls'),
    });
  });

  it('[RL3] delivers to one channel, or to those subscribed to the session', async () => {
    const agent = await connectAgent();
    const [one, two] = [await connectClient(), await connectClient()];
    const channel = await channelOf(one, agent);
    agent.send(output(channel, 0, 'replay'));
    agent.send({ type: 'subscribe', channel, handle: HANDLE });
    agent.send(output(0, 6, 'live'));
    agent.send(output(0, 0, 'of another session', 8));
    expect((await one.frame()).payload).toEqual(bytes('replay'));
    expect((await one.frame()).payload).toEqual(bytes('live'));

    agent.send({ type: 'unsubscribe', channel, handle: HANDLE });
    agent.send(output(0, 10, 'unseen'));
    agent.send(output(channel, 10, 'last'));
    expect((await one.frame()).payload).toEqual(bytes('last'));
    await two.pong();
    expect(two.unread).toEqual([]);
  });

  it('[RL2] drops what clients send while no agent is connected', async () => {
    const client = await connectClient();
    client.send(encodeFrame({ kind: 'input', channel: 0, handle: HANDLE, offset: 0 }, bytes('rm')));
    client.send({ type: 'create_session', request: 'c', cols: 80, rows: 24 });
    expect(await client.message('error')).toMatchObject({ code: 'agent_offline', request: 'c' });
    const agent = await connectAgent();
    await channelOf(client, agent);
    expect(agent.unread).toEqual([]);
  });

  it('[RL7] lets a viewer watch, and refuses everything else it tries', async () => {
    const agent = await connectAgent();
    const viewer = await connectClient('viewer');
    await channelOf(viewer, agent);
    for (const message of [
      { type: 'create_session', request: 'x', cols: 80, rows: 24 },
      { type: 'close_session', request: 'x', session: 's1' },
      { type: 'rename_session', request: 'x', session: 's1', name: 'mine' },
      { type: 'resize', session: 's1', cols: 1, rows: 1 },
    ]) {
      viewer.send(message);
      expect(await viewer.message('error'), message.type).toMatchObject({ code: 'forbidden' });
    }
    viewer.send(encodeFrame({ kind: 'input', channel: 0, handle: HANDLE, offset: 0 }, bytes('rm')));
    expect(await viewer.message('error')).toMatchObject({ code: 'forbidden' });
    await agent.pong();
    expect(agent.unread).toEqual([]);
  });
});

describe('presence', () => {
  it.each(['closes', 'vanishes'])(
    '[RL5] tells the agent once that a client is gone when it %s',
    async (how) => {
      const agent = await connectAgent();
      const client = await connectClient();
      const channel = await channelOf(client, agent);
      if (how === 'closes') await client[Symbol.asyncDispose]();
      else client.terminate();
      expect(await agent.message('client_dropped')).toMatchObject({ channel });
      agent.send({ type: 'ask_presence', question: 'q1' });
      expect(await agent.message('presence')).toMatchObject({ question: 'q1', clients: [] });
      expect(agent.unread).toEqual([]);
    },
  );

  it('[RL1] the newest agent wins; the old one is told to stop and none of its late bytes pass', async () => {
    const old = await connectAgent('epoch-1');
    const client = await connectClient();
    const channel = await channelOf(client, old);
    old.send({ type: 'subscribe', channel, handle: HANDLE });
    const newest = await connectAgent('epoch-2', []);
    old.send(output(0, 0, 'late'));
    old.send(output(channel, 0, 'late'));
    expect(await old.closed).toMatchObject({ code: 4409 });
    expect(await client.message('agent_state')).toMatchObject({
      agent: { state: 'online', epoch: 'epoch-2', generation: 2 },
    });
    newest.send(output(0, 0, 'nobody is subscribed on this link'));
    newest.send(output(channel, 0, 'fresh'));
    expect((await client.frame()).payload).toEqual(bytes('fresh'));
  });

  it('[RL6] sessions missing from a new inventory are lost; exited ones that are missing are forgotten', async () => {
    const first = await connectAgent('epoch-1', [
      sessionInfo('kept'),
      sessionInfo('dead'),
      sessionInfo('done', { status: 'exited', exitCode: 0 }),
    ]);
    await first[Symbol.asyncDispose]();
    const client = await connectClient();
    const list = async () => {
      client.send({ type: 'list_sessions', request: 'l' });
      const { sessions } = await client.message<ServerMessageOf<'session_list'>>('session_list');
      return sessions.map(({ id }) => id);
    };
    expect(await list()).toEqual(['kept', 'dead', 'done']);
    await connectAgent('epoch-2', [sessionInfo('kept', { epoch: 'epoch-2' })]);
    expect(await list()).toEqual(['kept']);
  });

  it('[P14] an empty workspace answers with an empty list', async () => {
    const client = await connectClient();
    client.send({ type: 'list_sessions', request: 'l' });
    expect(await client.message('session_list')).toMatchObject({
      sessions: [],
      agent: { state: 'offline', since: null },
    });
  });
});

describe('bad input', () => {
  it.each([
    { name: 'a frame without a header', frame: new Uint8Array(3), code: 4400 },
    { name: 'a frame of an unknown kind', frame: new Uint8Array(20).fill(99, 0, 1), code: 4400 },
    {
      name: 'a frame that only the agent may send',
      frame: encodeFrame({ kind: 'output', channel: 0, handle: 1, offset: 0 }),
      code: 4400,
    },
    { name: 'a payload over the limit', frame: new Uint8Array(20 + 65_537).fill(2, 0, 1), code: 4400 },
    { name: 'text that is not JSON', frame: '{', code: 4400 },
    { name: 'a message of an unknown type', frame: '{"type":"sudo"}', code: 4400 },
    {
      name: 'a message over the limit',
      frame: JSON.stringify({ type: 'list_sessions', request: 'x'.repeat(17_000) }),
      code: 4413,
    },
  ])('[WF6] $name gets a typed close, and reaches nobody', async ({ frame, code }) => {
    const agent = await connectAgent();
    const client = await connectClient();
    client.send(frame);
    const closed = await client.closed;
    expect(closed.code).toBe(code);
    expect(closed.reason).not.toBe('');
    await agent.message('client_dropped');
    await agent.pong();
    expect(agent.unread).toEqual([]);
  });

  it('[WF6] a malformed frame of the agent closes its link, not those of the clients', async () => {
    const agent = await connectAgent();
    const client = await connectClient();
    agent.send('nonsense');
    expect((await agent.closed).code).toBe(4400);
    expect(await client.message('agent_state')).toMatchObject({ agent: { state: 'offline' } });
    await client.pong();
  });
});
