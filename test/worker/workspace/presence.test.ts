/** Each client that leaves is reported once, however it leaves; and no object is woken without a reason. */
import { beforeEach, describe, expect, it } from 'vitest';
import { LINK_QUESTION } from '../../../protocol/messages/agent-message.ts';
import {
  attachClient,
  channelOf,
  connectAgent,
  connectClient,
  HANDLE,
  output,
  questioned,
} from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import type { TestRelay } from '../../support/test-relay.ts';

const relays = sharedRelays();

let relay: TestRelay;
beforeEach(async () => {
  relay = await relays.start();
});

/** Time passes, with heartbeats of the live peers. */
async function pass(ms: number, ...living: ScriptedPeer[]): Promise<void> {
  for (let left = ms; left > 0; left -= 10_000) {
    await relay.advance(Math.min(left, 10_000));
    await Promise.all(living.map((peer) => peer.pong()));
  }
}

interface Departure {
  readonly name: string;
  readonly go: (client: ScriptedPeer, agent: ScriptedPeer) => Promise<void>;
}

const departures: readonly Departure[] = [
  { name: 'closes', go: async (client) => client[Symbol.asyncDispose]() },
  { name: 'loses its TCP connection', go: async (client) => client.terminate() },
  {
    name: 'stops sending',
    go: async (client, agent) => {
      client.freeze();
      await pass(31_000, agent);
      agent.send(output(0, 2, 'an event like any other'));
    },
  },
  {
    name: 'breaks the protocol',
    go: async (client) => {
      client.send('nonsense');
    },
  },
];

describe('a client that disconnects', () => {
  const cases = departures.flatMap((departure) =>
    [false, true].map((asleep) => ({ ...departure, asleep, state: asleep ? 'asleep' : 'awake' })),
  );

  it.each(cases)(
    '[F4] [RL5] is reported once if it $name while the object is $state',
    async ({ go, asleep }) => {
      const agent = await connectAgent(relay);
      const { client, channel } = await attachClient(relay, agent);
      if (asleep) await relay.evict('hibernate');
      await go(client, agent);
      expect(await agent.message('client_dropped')).toEqual({
        type: 'client_dropped',
        generation: 1,
        channel,
      });
      expect(await questioned(agent)).toEqual({ clients: [], before: [] });

      // The end of its socket comes later, perhaps to an object that has lost its memory: no second report.
      await relay.evict('hibernate');
      client.terminate();
      expect(await questioned(agent)).toEqual({ clients: [], before: [] });
      await relay.evict('hibernate');
      expect(await questioned(agent)).toEqual({ clients: [], before: [] });
    },
  );

  it('[RL5] and all others, in a deploy, are missing from the list for the next link', async () => {
    const agent = await connectAgent(relay);
    await attachClient(relay, agent);
    await relay.evict('close');
    expect((await agent.closed).code).toBe(1006);
    const next = await connectAgent(relay);
    expect(await questioned(next)).toEqual({ clients: [], before: [] });
  });

  it('[RL5] while no agent is connected is missing from the list for the next one', async () => {
    const old = await connectAgent(relay);
    const { client } = await attachClient(relay, old);
    const other = await connectClient(relay);
    await old[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
    const agent = await connectAgent(relay);
    const { clients, before } = await questioned(agent);
    expect(clients).toHaveLength(1);
    expect(before).toEqual([]);
    await other.pong();
  });
});

describe('detecting silent peers', () => {
  it('[F4] [RL8] a page whose heartbeats continue is not dropped in ten minutes without messages', async () => {
    const agent = await connectAgent(relay, { graceMs: 60_000 });
    const { client, channel } = await attachClient(relay, agent);
    await pass(600_000, agent, client);
    expect(await questioned(agent)).toEqual({ clients: [channel], before: [] });
  });

  it('[F4] [RL9] happens by alarm while a grace period applies, even without other events', async () => {
    const agent = await connectAgent(relay, { graceMs: 60_000 });
    const { client, channel } = await attachClient(relay, agent);
    await relay.evict('hibernate');
    client.freeze();
    await pass(45_000, agent);
    expect(await agent.message('client_dropped')).toMatchObject({ channel });
    expect((await relay.counts()).alarms).toBeGreaterThanOrEqual(1);
  });

  it.each([
    ['reported when it connected', [sessionInfo('s1', { graceMs: 60_000 })], []],
    ['reported later', [], [sessionInfo('s1', { graceMs: 60_000 })]],
  ])(
    '[F4] [RL9] [AG10] happens by alarm while a session has its own grace period, %s',
    async (_, sessions, later) => {
      const agent = await connectAgent(relay, { sessions });
      for (const session of later) agent.send({ type: 'session_changed', session });
      const { client, channel } = await attachClient(relay, agent);
      await relay.evict('hibernate');
      client.freeze();
      await pass(45_000, agent);
      expect(await agent.message('client_dropped')).toMatchObject({ channel });
    },
  );

  it('[F4] [RL9] happens by alarm after the agent has asked, as it does if a client owes acknowledgements', async () => {
    const agent = await connectAgent(relay);
    const { client, channel } = await attachClient(relay, agent);
    client.freeze();
    expect((await questioned(agent)).clients).toEqual([channel]);
    await relay.evict('hibernate');
    await pass(45_000, agent);
    expect(await agent.message('client_dropped')).toMatchObject({ channel });
  });

  it('[RL9] happens by an alarm that later clients do not postpone', async () => {
    const agent = await connectAgent(relay);
    const { client, channel } = await attachClient(relay, agent);
    client.freeze();
    await questioned(agent);
    await relay.evict('hibernate');
    const newcomer = await connectClient(relay); // for whom an alarm in an hour would do
    await relay.evict('hibernate');
    await pass(45_000, agent, newcomer);
    expect(await agent.message('client_dropped')).toMatchObject({ channel });
  });

  it('[RL9] happens by alarm once an event finds a subscriber without a heartbeat', async () => {
    const agent = await connectAgent(relay);
    const { client, channel } = await attachClient(relay, agent);
    client.freeze();
    await pass(20_000, agent);
    agent.send(output(0, 2, 'printed and never acknowledged'));
    await relay.evict('hibernate');
    await pass(20_000, agent);
    expect(await agent.message('client_dropped')).toMatchObject({ channel });
  });

  it('[RL9] needs no alarm if nobody waits for the result', async () => {
    const agent = await connectAgent(relay, { graceMs: 60_000 });
    const client = await connectClient(relay); // watches nothing: its departure starts no grace period
    client.freeze();
    await pass(120_000, agent);
    expect((await relay.counts()).alarms).toBe(0);
    expect((await questioned(agent)).clients).toEqual([]);
  });

  it('[RL9] [X5] needs no alarm for a viewer, whose departure starts no grace period', async () => {
    const agent = await connectAgent(relay, { graceMs: 60_000 });
    const viewer = await connectClient(relay, 'viewer');
    const channel = await channelOf(viewer, agent);
    /** Whether the next alarm is sooner than the one for the end of a token. */
    const isAwaited = async () => {
      await agent.pong();
      const [[row] = []] = await relay.sql("SELECT value FROM facts WHERE name = 'alarm_at'");
      return Number(row?.value) < Date.now() + 3_600_000;
    };
    agent.send({ type: 'subscribe', channel, handle: HANDLE });
    agent.send(output(0, 0, '$ '));
    await viewer.frame();
    expect(await isAwaited()).toBe(false);
    await attachClient(relay, agent);
    expect(await isAwaited()).toBe(true);
  });

  it('[CN8] [RL9] needs no alarm if the agent only asks whether it is still known', async () => {
    const agent = await connectAgent(relay);
    await attachClient(relay, agent);
    await relay.evict('hibernate');
    agent.send({ type: 'ask_presence', question: LINK_QUESTION });
    expect(await agent.message('presence')).toMatchObject({ question: LINK_QUESTION });
    await pass(45_000, agent);
    expect((await relay.counts()).alarms).toBe(0);
  });

  it('[RL9] removes an alarm that is no longer needed', async () => {
    const agent = await connectAgent(relay, { graceMs: 60_000 });
    const { client } = await attachClient(relay, agent);
    await client[Symbol.asyncDispose]();
    await agent.message('client_dropped');
    await pass(60_000, agent);
    const { alarms } = await relay.counts();
    expect(alarms).toBeLessThanOrEqual(1);
    await pass(300_000, agent);
    expect((await relay.counts()).alarms).toBe(alarms);
  });

  it('[F5] [RL8] a machine that died silently is offline for everybody who asks, since it was last heard', async () => {
    const agent = await connectAgent(relay);
    const { client } = await attachClient(relay, agent);
    agent.freeze();
    await pass(31_000, client);
    client.send({ type: 'resize', session: 's1', cols: 90, rows: 30 });
    const { agent: state } = await client.message<{
      type: string;
      agent: { state: string; since: string; lastSeen: string };
    }>('agent_state');
    expect(state.state).toBe('offline');
    expect(Date.parse(state.since) - Date.parse(state.lastSeen)).toBeGreaterThanOrEqual(30_000);
    expect(await client.message('error')).toMatchObject({ code: 'agent_offline' });
  });

  it.each(['operator', 'viewer'] as const)(
    'tells a client first that it is an %s, and how long sessions are kept',
    async (role) => {
      await connectAgent(relay, { graceMs: 60_000 });
      const client = await ScriptedPeer.connect(new URL(`/ws/workspaces/${relay.workspace}`, relay.url), {
        Authorization: `Bearer ${await relay.token(role)}`,
      });
      expect(await client.message('agent_state')).toMatchObject({ role, agent: { graceMs: 60_000 } });
    },
  );

  it('[F30] passes on why an agent was started with less, for as long as that agent is connected', async () => {
    const trouble = 'The agent ended 3 times.';
    const agent = await connectAgent(relay, { trouble });
    await relay.evict('hibernate');
    const client = await ScriptedPeer.connect(new URL(`/ws/workspaces/${relay.workspace}`, relay.url), {
      Authorization: `Bearer ${await relay.token('viewer')}`,
    });
    expect(await client.message('agent_state')).toMatchObject({ agent: { state: 'online', trouble } });
    const health = async () =>
      (
        await fetch(new URL(`/api/workspaces/${relay.workspace}/health`, relay.url), {
          headers: await relay.bearer('viewer'),
        })
      ).json();
    expect(await health()).toMatchObject({ agent: { trouble } });
    agent.terminate();
    const { agent: offline } = await client.message<{ type: string; agent: object }>('agent_state');
    expect(offline).toMatchObject({ state: 'offline' });
    expect(offline).not.toHaveProperty('trouble');
    await connectAgent(relay);
    const { agent: next } = await client.message<{ type: string; agent: object }>('agent_state');
    expect(next).toMatchObject({ state: 'online' });
    expect(next).not.toHaveProperty('trouble');
  });

  it('[RL5] an agent that takes over is told about each client once', async () => {
    const old = await connectAgent(relay);
    const { client, channel } = await attachClient(relay, old);
    const heir = await connectAgent(relay, { epoch: 'epoch-2' });
    heir.send({ type: 'subscribe', channel, handle: HANDLE });
    client.terminate();
    expect(await heir.message('client_dropped')).toEqual({ type: 'client_dropped', generation: 2, channel });
    expect(await questioned(heir)).toEqual({ clients: [], before: [] });
  });
});
