/** Workspaces report to the fleet: on a real relay, asleep and awake, with a fleet that fails, and without one. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FLEET_REPORT_EVERY_MS } from '../../../protocol/limits.ts';
import type { AgentPresence } from '../../../protocol/messages/server-message.ts';
import { attachClient, connectAgent, connectClient, input } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { TestRelay } from '../../support/test-relay.ts';
import { attention } from '../push/push-story.ts';

const publicKey = () => String(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x);

let owned: TestRelay;
beforeAll(async () => {
  owned = await TestRelay.start({ settings: { RELAY_OWNER_KEY: publicKey() } });
});
afterAll(() => owned[Symbol.asyncDispose]());

const reportsOf = async (relay: TestRelay) => (await relay.fleet()).reports;

/** The fleet has been told this much, and this last. */
async function told(relay: TestRelay, count: number): Promise<Record<string, unknown>> {
  await expect.poll(async () => (await reportsOf(relay)).length).toBe(count);
  return { ...(await reportsOf(relay)).at(-1) };
}

/** The workspace has written that the fleet has everything. */
async function settled(relay: TestRelay): Promise<void> {
  const due = async () => (await relay.sql('SELECT due_at FROM machine_report'))[0]?.[0]?.due_at;
  await expect.poll(due).toBeNull();
}

async function connected(relay: TestRelay): Promise<ScriptedPeer> {
  const agent = await connectAgent(relay, { build: '9.8.7' });
  await told(relay, 1);
  await settled(relay);
  return agent;
}

describe('a workspace of a relay with an owner', () => {
  it('[J3] [FL1] reports that its machine connects, what changes, and that it leaves', async () => {
    const relay = owned.another();
    const agent = await connected(relay);
    expect((await reportsOf(relay)).at(-1)).toMatchObject({
      ...{ isOnline: true, sessions: 1, attention: null, version: '9.8.7', lastSeen: null },
    });
    agent.send({ type: 'session_changed', session: sessionInfo('s2', { attention: attention() }) });
    await agent.pong();
    await relay.advance(FLEET_REPORT_EVERY_MS);
    expect(await told(relay, 2)).toMatchObject({ sessions: 2, attention: { state: 'asks', count: 1 } });
    await settled(relay);
    await agent[Symbol.asyncDispose]();
    await expect
      .poll(async () => (await relay.sql('SELECT was_online FROM machine_report'))[0])
      .toEqual([{ was_online: 0 }]);
    await relay.advance(FLEET_REPORT_EVERY_MS);
    expect(await told(relay, 3)).toMatchObject({ isOnline: false, lastSeen: expect.any(Number) });
  });

  it('[J3] [FL2] [S1] is not woken by it: asleep for ten minutes, with an agent and a page, nothing happens', async () => {
    const relay = owned.another();
    const agent = await connected(relay);
    const { client } = await attachClient(relay, agent);
    // The alarm for an answer that might have been lost.
    await relay.advance(2 * FLEET_REPORT_EVERY_MS);
    await Promise.all([agent.pong(), client.pong()]);
    await relay.evict('hibernate');
    const before = await relay.counts();
    const fleetBefore = await relay.fleet();
    for (let elapsed = 0; elapsed < 600_000; elapsed += 20_000) {
      await relay.advance(20_000);
      await Promise.all([agent.pong(), client.pong()]);
    }
    expect(await relay.counts()).toEqual(before);
    client.send(input(0, 'k'));
    await agent.frame();
    await client.pong();
    expect(await relay.fleet(), 'a key reports nothing').toEqual(fleetBefore);
  });

  it('[FL2] asleep between a change and its report, tells it nevertheless', async () => {
    const relay = owned.another();
    const agent = await connected(relay);
    agent.send({ type: 'session_changed', session: sessionInfo('s2') });
    await agent.pong();
    await relay.evict('hibernate');
    await relay.advance(FLEET_REPORT_EVERY_MS);
    expect(await told(relay, 2)).toMatchObject({ isOnline: true, sessions: 2, version: '9.8.7' });
  });

  it('[FL2] [F6] tells that its machine is gone when a deploy has closed every socket', async () => {
    const relay = owned.another();
    const agent = await connected(relay);
    await relay.reset();
    await agent.closed;
    await connectClient(relay);
    await relay.advance(FLEET_REPORT_EVERY_MS);
    expect(await told(relay, 2)).toMatchObject({ isOnline: false });
  });
});

const ways = [
  { of: 'a fleet that fails', fails: true, hasOwner: true, reports: 1 },
  { of: 'a relay without an owner', fails: false, hasOwner: false, reports: 0 },
] as const;

describe.each(ways)('$of', ({ fails, hasOwner, reports }) => {
  it('[J3] [FL4] changes nothing for a workspace: it forwards, lists and stores as before', async () => {
    await using relay = await TestRelay.start(hasOwner ? { settings: { RELAY_OWNER_KEY: publicKey() } } : {});
    await relay.failFleet(fails);
    const agent = await connectAgent(relay);
    const { client } = await attachClient(relay, agent);
    client.send(input(0, 'k'));
    expect((await agent.frame()).payload).toEqual(new TextEncoder().encode('k'));
    agent.send({ type: 'session_changed', session: sessionInfo('s2', { attention: attention() }) });
    client.send({ type: 'list_sessions', request: 'l' });
    await client.message('session_list');
    await expect.poll(async () => (await reportsOf(relay)).length).toBe(reports);
    const health = await fetch(new URL('/api/workspaces/test/health', relay.url), {
      headers: await relay.bearer('viewer'),
    });
    const { agent: presence } = (await health.json()) as { agent: AgentPresence };
    expect(presence.state).toBe('online');
    if (!hasOwner) {
      expect(await relay.sql('SELECT * FROM machine_report')).toEqual([[]]);
      return;
    }
    await relay.failFleet(false);
    await relay.advance(2 * FLEET_REPORT_EVERY_MS);
    expect(await told(relay, 2)).toMatchObject({ sessions: 2, attention: { count: 1 } });
  });
});
