/** The relay between a scripted agent and scripted clients, on real workerd. */
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../protocol/frame.ts';
import type { ServerMessageOf } from '../../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { hibernating, relay, startsWorkspaces } from '../../support/own-workspace.ts';
import {
  bytes,
  channelOf,
  connectAgent as connectAgentTo,
  connectClient as connectClientTo,
  HANDLE,
  output,
} from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';

startsWorkspaces();

const connectAgent = (epoch = 'epoch-1', sessions = [sessionInfo('s1')]) =>
  connectAgentTo(relay, { epoch, sessions });
const connectClient = (role: ClientRole = 'operator') => connectClientTo(relay, role);

describe('forwarding', () => {
  it('[RL2] sets the channel on what a client sends, whatever it wrote there itself', async () => {
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

  it('[RL7] lets a viewer watch, and refuses everything else', async () => {
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

  it('[F13] [RL1] the newest agent wins; the old one is told to stop and none of its late bytes pass', async () => {
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

  it('[RL6] sessions missing from a new inventory are lost, or exited if that was known, and listed on request', async () => {
    const first = await connectAgent('epoch-1', [
      sessionInfo('kept'),
      sessionInfo('dead'),
      sessionInfo('done', { status: 'exited', exitCode: 0 }),
    ]);
    await first[Symbol.asyncDispose]();
    const client = await connectClient();
    const list = async (more = {}) => {
      client.send({ type: 'list_sessions', request: 'l', ...more });
      const { sessions } = await client.message<ServerMessageOf<'session_list'>>('session_list');
      return sessions.map(({ id, status }) => `${id} ${status}`);
    };
    expect(await list()).toEqual(['kept running', 'dead running', 'done exited']);
    const second = await connectAgent('epoch-2', [sessionInfo('kept', { epoch: 'epoch-2' })]);
    expect(await list()).toEqual(['kept running']);
    expect(await list({ include: 'lost' })).toEqual(['kept running', 'dead lost', 'done exited']);

    // A session that is restored from disk under its old id is no longer lost.
    await second[Symbol.asyncDispose]();
    await connectAgent('epoch-3', [sessionInfo('dead', { epoch: 'epoch-3' })]);
    expect(await list()).toEqual(['dead running']);
    expect(await list({ include: 'lost' })).toEqual(['kept lost', 'dead running', 'done exited']);
  });

  it('[RL6] lost sessions are deleted after a day', async () => {
    const token = await relay.token('agent', relay.workspace, 7 * 24 * 3600);
    const first = await connectAgentTo(relay, { token, sessions: [sessionInfo('dead')] });
    await first[Symbol.asyncDispose]();
    await connectAgentTo(relay, { token, sessions: [] });
    const ids = async () => {
      const response = await fetch(
        new URL(`/api/workspaces/${relay.workspace}/sessions?include=lost`, relay.url),
        {
          headers: await relay.bearer('viewer'),
        },
      );
      return ((await response.json()) as { sessions: { id: string }[] }).sessions.map(({ id }) => id);
    };
    await relay.advance(23 * 3_600_000);
    expect(await ids()).toEqual(['dead']);
    await relay.advance(2 * 3_600_000);
    expect(await ids()).toEqual([]);
    await connectAgentTo(relay, { token, sessions: [] });
    expect(await relay.sql('SELECT count(*) AS n FROM sessions')).toEqual([[{ n: 0 }]]);
  });

  it('[RL6] an inventory of several pages takes effect after the last, although the object sleeps between any two', async () => {
    await hibernating();
    const first = await connectAgent('epoch-1', [sessionInfo('a'), sessionInfo('b'), sessionInfo('c')]);
    await first[Symbol.asyncDispose]();
    const agent = await ScriptedPeer.connect(
      new URL(`/ws/agent/${relay.workspace}`, relay.url),
      await relay.bearer('agent'),
    );
    agent.send({ type: 'hello', version: 1, epoch: 'epoch-2', sessions: [sessionInfo('a')], more: true });
    await agent.pong();
    await relay.evict('hibernate');
    agent.send({ type: 'inventory', sessions: [sessionInfo('b')], more: false });
    await agent.message('presence');
    const client = await connectClient();
    client.send({ type: 'list_sessions', request: 'l' });
    expect(await client.message('session_list')).toMatchObject({ sessions: [{ id: 'a' }, { id: 'b' }] });
  });

  it('[S1] lists are answered while the agent is offline, with its state, since when, and when it was last seen', async () => {
    const agent = await connectAgent();
    await agent[Symbol.asyncDispose]();
    const headers = await relay.bearer('viewer');
    const response = await fetch(new URL(`/api/workspaces/${relay.workspace}/sessions`, relay.url), {
      headers,
    });
    expect(await response.json()).toMatchObject({
      agent: {
        state: 'offline',
        since: expect.stringMatching(/Z$/),
        lastSeen: expect.stringMatching(/Z$/),
        epoch: 'epoch-1',
        generation: 1,
      },
      sessions: [{ id: 's1', status: 'running' }],
    });
    const byKey = await fetch(new URL(`/api/workspaces/${relay.workspace}/sessions?key=none`, relay.url), {
      headers,
    });
    expect(await byKey.json()).toMatchObject({ sessions: [] });
  });

  it('[P10] health includes orphaned sessions in the running ones', async () => {
    await connectAgent('epoch-1', [
      sessionInfo('watched', { attached: 1 }),
      sessionInfo('orphan'),
      sessionInfo('done', { status: 'exited', exitCode: 0 }),
    ]);
    await connectClient();
    const response = await fetch(new URL(`/api/workspaces/${relay.workspace}/health`, relay.url), {
      headers: await relay.bearer('viewer'),
    });
    expect(await response.json()).toMatchObject({
      agent: { state: 'online' },
      sessions: { running: 2, orphaned: 1, exited: 1 },
      clients: 1,
    });
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
    { name: 'a payload over the limit', frame: new Uint8Array(20 + 65_537).fill(2, 0, 1), code: 4413 },
    {
      name: 'a message of few characters but many bytes',
      frame: `{"type":"${'€'.repeat(6000)}"}`,
      code: 4413,
    },
    { name: 'text that is not JSON', frame: '{', code: 4400 },
    { name: 'a message of an unknown type', frame: '{"type":"sudo"}', code: 4400 },
    {
      name: 'a message over the limit',
      frame: JSON.stringify({ type: 'list_sessions', request: 'x'.repeat(17_000) }),
      code: 4413,
    },
  ])('[F24] [WF6] $name gets a typed close, and is forwarded to nobody', async ({ frame, code }) => {
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
