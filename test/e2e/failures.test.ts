/**
 * Rows of the failure matrix (docs/evidence/reliability.md) that need the whole system: relays that are killed or lose
 * their storage, agents that are frozen, replaced or on a machine with a wrong clock, paths that die silently.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ChaosProxy } from '../support/chaos-proxy.ts';
import { CountingScreen } from '../support/flood-screens.ts';
import { HeadlessClient } from '../support/headless-client.ts';
import { untilKept } from '../support/kept-text.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { typeInto } from '../support/type-into.ts';
import { World, type WorldOptions } from '../support/world.ts';

const relays = sharedRelays();
/** An agent in its own workspace. */
const openWorld = async (options: WorldOptions = {}) => World.open(options, await relays.onWorkerd());

const SHIFTED_AGENT = fileURLToPath(new URL('../support/shifted-agent.ts', import.meta.url));
const SIZE = { cols: 80, rows: 24 };

/** Resolves when an agent is online that has connected at least this often. */
async function agentOnline(client: HeadlessClient, generation: number): Promise<void> {
  await client.until(() => {
    const { state } = client.client;
    return state.name === 'live' && state.agent.state === 'online' && state.agent.generation >= generation;
  });
}

// These tests mostly wait, so they run in parallel.
describe.concurrent("the agent's network path dies silently", () => {
  it.each([
    ['and the agent is not informed', 'near'],
    ['and the relay is not informed', 'far'],
  ] as const)('[F5] %s: it reconnects, the newest link counts, nothing is lost', async (_, survivor) => {
    const relay = await relays.onWorkerd();
    await using agentLeg = await ChaosProxy.to(relay.url);
    await using world = await World.open({ legs: { agent: agentLeg.url, client: relay.url } }, relay);
    const client = await world.client();
    const { session, screen } = await client.open();
    agentLeg.halfOpen(survivor);
    typeInto(session, 'echo typed-$((40+2))\n');
    await agentOnline(client, 2);
    await screen.sees(/^typed-42$/m);
    expect(screen.text.match(/^typed-42$/gm)).toHaveLength(1);
    expect(session.lostBytes).toBe(0);
  });
});

describe.concurrent('the relay is killed', () => {
  it('[F8] shells survive although it stays down longer than their grace period, attached or not', async () => {
    await using world = await World.open({ agentFlags: ['--orphan-grace-period', '6'] });
    const client = await world.client();
    const watched = await client.open();
    // It asks whether it may end it six seconds after its creation, and nobody answers any more.
    await client.client.create({ ...SIZE, name: 'orphan', command: 'sh' });
    typeInto(watched.session, 'MARK=kept\n');
    await client.until(() => watched.session.unsentBytes === 0);
    await world.relay.kill();
    // The outage must be longer than the grace period.
    await sleep(8_000);
    await world.relay.restart();
    await agentOnline(client, 2);
    typeInto(watched.session, 'echo "<$MARK>"\n');
    await watched.screen.sees(/^<kept>$/m);
    expect((await client.client.list()).map(({ name, status }) => `${name} ${status}`)).toContain(
      'orphan running',
    );
  });

  it('[F9] after its storage was deleted, the inventory restores the registry, and everybody continues', async () => {
    await using world = await World.open();
    const client = await world.client();
    const { id, session, screen } = await client.open();
    typeInto(session, 'MARK=kept\n');
    await client.until(() => session.unsentBytes === 0);
    await world.relay.kill();
    for (const name of readdirSync(world.relay.stateDir)) {
      rmSync(join(world.relay.stateDir, name), { recursive: true });
    }
    await world.relay.restart();
    await client.until(() => client.client.state.name === 'live' && session.state.name === 'live');
    typeInto(session, 'echo "<$MARK>"\n');
    await screen.sees(/^<kept>$/m);
    expect(await client.client.list()).toMatchObject([{ id, name: 'test', status: 'running' }]);
  });

  it('[F7] another version takes over: everybody reconnects, and nothing is lost', async () => {
    await using world = await World.open();
    const client = await world.client();
    const { session, screen } = await client.open();
    typeInto(
      session,
      'i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo row-$i; sleep 0.01; done; echo end-$((1+1))\n',
    );
    await screen.sees(/^row-20$/m);
    await world.relay.deploy('99.0.0');
    const health = await (await fetch(new URL('/health', world.relay.url))).json();
    expect(health).toMatchObject({ version: '99.0.0' });
    await screen.sees(/^end-2$/m);
    const rows = [...screen.text.matchAll(/^row-(\d+)$/gm)].map(([, n]) => Number(n));
    expect(rows).toEqual(Array.from({ length: 300 }, (__, i) => i + 1));
    expect(session.lostBytes).toBe(0);
  });
});

describe.concurrent('the agent', () => {
  it('[F10] killed while somebody types: input that it had not taken never reaches the next shell', async ({
    expect,
    onTestFinished,
  }) => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-failures-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    await using world = await openWorld({ agentFlags: ['--state-dir', join(dir, 'state')] });
    const typed = join(dir, 'typed');
    const client = await world.client();
    const args = ['-c', `stty raw -echo; echo ready; exec cat >> ${typed}`];
    const { id, session, screen } = await client.open('sh', args);
    await screen.sees(/ready/);
    typeInto(session, 'first ');
    await expect.poll(() => readFileSync(typed, 'utf8')).toBe('first ');
    // What has reached the state directory is restored.
    await untilKept(join(dir, 'state'), 'ready');
    world.freeze();
    typeInto(session, 'stale ');
    await world.crashAgent();
    await agentOnline(client, 2);
    await client.until(() => session.state.name === 'live');
    // The same session under the same id, with another program in it.
    expect((await client.client.list()).map((one) => one.id)).toEqual([id]);
    typeInto(session, 'fresh');
    await expect.poll(() => readFileSync(typed, 'utf8')).toBe('first fresh');
  });

  it('[F13] frozen, replaced and resumed: the newest stays, the old one stops by itself and sends nothing more', async () => {
    await using world = await openWorld();
    const client = await world.client();
    const { session, screen } = await client.open('sh', ['-c', 'while :; do echo old; sleep 0.01; done']);
    await screen.sees(/old/);
    world.freeze();
    const rival = world.startRival();
    await agentOnline(client, 2);
    const shown = screen.text;
    world.thaw();
    expect(await world.agent.ended).toBe('exit code 0');
    const fresh = await client.open();
    typeInto(fresh.session, 'echo new-$((1+1))\n');
    await fresh.screen.sees(/^new-2$/m);
    expect(screen.text).toBe(shown);
    expect(session.state.name).toBe('gone');
    await rival.stop();
  });
});

// Runs alone: with others on a busy machine, a client that keeps up could really fall behind.
describe('a slow link', () => {
  it('[F23] Ctrl-C stops a flood with few bytes still in flight, and another session responds meanwhile', async () => {
    const BYTES_PER_SECOND = 128_000;
    await using world = await openWorld();
    await using leg = await ChaosProxy.to(world.relay.url);
    const client = await world.client('operator', leg.url);
    const { id } = await client.client.create({ ...SIZE, command: 'sh', env: { PS1: '$ ' } });
    const flood = new CountingScreen();
    const session = client.client.attach(id, SIZE, flood, { isNew: true });
    const other = await client.open();
    leg.shape({ latencyMs: 50, bytesPerSecond: BYTES_PER_SECOND });
    typeInto(session, 'yes\n');
    // Long enough for the window to adapt to the path.
    await flood.until(() => flood.bytes + flood.lostBytes > 4 * BYTES_PER_SECOND);
    typeInto(other.session, 'echo calm-$((1+1))\n');
    await other.screen.sees(/^calm-2$/m);
    const before = flood.bytes;
    typeInto(session, '\x03');
    await flood.until(() => flood.isAtPrompt);
    // In bytes, because a busy machine distorts time: twice what this link carries in half a second.
    expect(flood.bytes - before).toBeLessThan(BYTES_PER_SECOND);
  });
});

describe.concurrent('an expiring token', () => {
  it('[F25] closes its socket; with a new token the client continues where it was', async () => {
    await using world = await openWorld();
    const tokens = [await world.relay.token('operator', world.relay.workspace, 60)];
    const client = new HeadlessClient(world.relay.url, world.relay.workspace, () => tokens.at(-1) ?? '');
    await client.online();
    const { session, screen } = await client.open();
    typeInto(session, 'MARK=kept\n');
    await client.until(() => session.unsentBytes === 0);
    // The gate's clock is stopped, so that the object refuses, repeatedly.
    await world.relay.advance(61_000);
    await client.until(
      () => client.client.state.name === 'waiting' && /expired/.test(client.client.state.why),
    );
    tokens.push(await world.relay.token('operator'));
    await client.online();
    typeInto(session, 'echo "<$MARK>"\n');
    await screen.sees(/^<kept>$/m);
    expect(session.lostBytes).toBe(0);
    client[Symbol.dispose]();
  });
});

// Runs alone, for the same reason.
describe('the agent', () => {
  it('[F14] on a machine whose clock is wrong and jumps keeps its sessions and output, and ends orphaned sessions on time', async () => {
    await using world = await openWorld({
      agentProgram: [process.execPath, SHIFTED_AGENT],
      agentFlags: ['--orphan-grace-period', '2'],
    });
    const client = await world.client();
    const { id, session, screen } = await client.open();
    // Longer than the grace: while somebody watches, no jump of the clock may end it.
    typeInto(session, 'sleep 3; echo still-$((1+1))\n');
    await screen.sees(/^still-2$/m);
    // Nor may it make a client that keeps up look stalled: it would then skip output.
    typeInto(session, 'seq 1 150000; echo flood-$((1+1))\n');
    await screen.sees(/^flood-2$/m);
    expect(screen.text).toMatch(/^149999\n150000\nflood-2$/m);
    expect({ lost: session.lostBytes, resets: screen.resets }).toEqual({ lost: 0, resets: 0 });
    client.client.detach(id);
    await expect.poll(async () => (await world.health()).sessions.running).toBe(0);
  });
});
