/** The agent as a process, with real shells, behind a real relay. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { familyOf, type Process } from '../support/process-table.ts';
import { gone, machineNode } from '../support/processes.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { TEST_WITHIN_MS } from '../support/time-limit.ts';
import { typeInto } from '../support/type-into.ts';
import { World, type WorldOptions } from '../support/world.ts';

const relays = sharedRelays();
/** An agent in its own workspace. */
const openWorld = async (options: WorldOptions = {}) => World.open(options, await relays.onWorkerd());

const SOURCE = fileURLToPath(new URL('../../vm-agent/main.ts', import.meta.url));
const BUILT = fileURLToPath(new URL('../../dist/agent/main.js', import.meta.url));
const KEEPER = fileURLToPath(new URL('../../dist/agent/keeper.js', import.meta.url));

/** A gigabyte is promised; a run of all tests has less time. */
const FLOOD_MB = Number(process.env.HOLDFAST_FLOOD_MB ?? 128);
/** The screen's queue (8 MiB), its rows, the ring and uncollected garbage: well below what was printed. */
const FLOOD_MEMORY_MAX_BYTES = 96e6;

/** The most memory a process has had so far. */
function peakMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/**
 * The agent and all its descendants, once this many `sleep`s are among them: a shell continues before its job has
 * started.
 */
async function familyWith(pid: number, sleeps: number): Promise<Process[]> {
  const isSleep = ({ name }: Process) => name === 'sleep';
  await expect.poll(() => familyOf(pid).filter(isSleep)).toHaveLength(sleeps);
  return familyOf(pid);
}

describe('the agent process', () => {
  it('[F11] stops every shell and everything it started', async () => {
    await using world = await openWorld();
    const client = await world.client();
    const { session, screen } = await client.open();
    typeInto(
      session,
      "trap '' HUP TERM; sleep 300 & (trap '' HUP TERM; sleep 301) & echo started-$((1+1))\n",
    );
    await screen.sees(/started-2/);
    const family = await familyWith(world.agent.pid, 2);
    process.kill(world.agent.pid, 'SIGTERM');
    expect(await world.agent.ended).toBe('exit code 0');
    await gone(family);
  });

  it('[F11] closes its connection to the relay with 1001', async () => {
    const relay = await relays.onWorkerd();
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const dialled = once(server, 'connection');
    const address = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await using world = await World.open({ legs: { agent: address, client: relay.url } }, relay);
    const [link] = await dialled;
    const hello = await once(link, 'message');
    expect(JSON.parse(String(hello[0]))).toMatchObject({ type: 'hello' });
    const closed = once(link, 'close');
    process.kill(world.agent.pid, 'SIGTERM');
    expect((await closed)[0]).toBe(1001);
    expect(await world.agent.ended).toBe('exit code 0');
    server.close();
  });

  it('[F11] leaves no background job whose shell has already exited', async () => {
    await using world = await openWorld();
    const client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, "(trap '' HUP TERM; sleep 300) & echo started-$((1+1))\n");
    await screen.sees(/started-2/);
    const family = await familyWith(world.agent.pid, 1);
    process.kill(world.agent.pid, 'SIGTERM');
    expect(await world.agent.ended).toBe('exit code 0');
    await gone(family);
  });

  it('[F13] stops by itself, with its shells, when a newer agent takes over', async () => {
    await using world = await openWorld();
    const client = await world.client();
    const { id } = await client.open();
    const family = familyOf(world.agent.pid);
    const rival = world.startRival();
    expect(await world.agent.ended).toBe('exit code 0');
    await gone(family);
    await client.until(
      () =>
        client.client.state.name === 'live' &&
        client.client.state.agent.state === 'online' &&
        client.client.state.agent.generation === 2,
    );
    expect((await client.client.list()).map((session) => session.id)).not.toContain(id);
    await rival.stop();
  });

  /** Further Nodes to run the built agent on: paths of their programs, separated by colons. */
  const others = (process.env.HOLDFAST_NODES ?? '').split(':').filter((path) => path !== '');
  const builds: [how: string, node: string, entry: string][] = [
    ['from source on our Node', process.execPath, SOURCE],
    ['as built, on our Node', process.execPath, BUILT],
    ["as built, on this machine's own Node", machineNode(), BUILT],
    ["as built, with its keeper, on this machine's own Node", machineNode(), KEEPER],
    ...others.map((node): [string, string, string] => [`as built, on ${node}`, node, KEEPER]),
  ];
  it.each(builds)('runs %s', async (_, node, entry) => {
    await using world = await openWorld({ agentProgram: [node, entry] });
    const client = await world.client();
    const { session, screen } = await client.open();
    // A cursor position report: only the screen's thread can answer it. An answer that a busy machine gives a second
    // too late is dropped, so the question is asked until one comes.
    const ask = "printf '\\033[6n'; answer=$(dd bs=16 count=1 2>/dev/null | od -An -c)";
    typeInto(
      session,
      `stty -icanon -echo min 0 time 20; while [ -z "$answer" ]; do ${ask}; done; echo "$answer"; echo node-$((1+1))\n`,
    );
    await screen.sees(/033\s+\[\s+\d+\s+;[\s\S]*node-2/);
  });

  it('runs as root or as another user, and its shells run as the same user', async () => {
    const NOBODY = 65_534;
    const isRoot = process.getuid?.() === 0;
    const user = isRoot ? NOBODY : process.getuid?.();
    await using world = await openWorld({
      agentProgram: [machineNode(), BUILT],
      home: tmpdir(),
      ...(isRoot ? { agentUid: NOBODY } : {}),
    });
    const { session, screen } = await (await world.client()).open();
    typeInto(session, 'echo user-$(id -u)-end\n');
    await screen.sees(new RegExp(`^user-${user}-end$`, 'm'));
    const family = familyOf(world.agent.pid);
    process.kill(world.agent.pid, 'SIGTERM');
    expect(await world.agent.ended).toBe('exit code 0');
    await gone(family);
  });

  it.each([
    [['--relay', 'nonsense'], /^holdfast agent: HOLDFAST_RELAY is "nonsense", which is not an http/],
    [['--verbose'], /^holdfast agent: unknown option --verbose/],
  ])('says in one sentence which setting is wrong, and exits with 2: %j', (flags, sentence) => {
    for (const entry of [BUILT, KEEPER]) {
      const { status, stderr } = spawnSync(process.execPath, [entry, ...flags], {
        encoding: 'utf8',
        env: {},
      });
      expect([status, stderr]).toEqual([2, expect.stringMatching(sentence)]);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
  });
});

describe('bad input', () => {
  it.skipIf(!hasProc)(
    `[R7] ${FLOOD_MB} MB in a single line with nobody attached: the program ends, memory is bounded, the end is on the screen${unlessProc}`,
    {
      timeout: TEST_WITHIN_MS + FLOOD_MB * 1000,
    },
    async () => {
      await using world = await openWorld({ agentProgram: [process.execPath, BUILT] });
      const client = await world.client();
      const quiet = await client.open();
      await quiet.screen.sees(/\$$/);
      const before = peakMemory(world.agent.pid);
      const ended = new Promise<void>((resolve) => {
        client.client.onNews((news) => news.type === 'session_exited' && resolve());
      });
      const script = `head -c ${FLOOD_MB * 1e6} /dev/zero | tr '\\0' x; echo; echo the-end`;
      const { id } = await client.client.create({ cols: 80, rows: 24, command: 'sh', args: ['-c', script] });
      await ended;
      expect(peakMemory(world.agent.pid) - before).toBeLessThan(FLOOD_MEMORY_MAX_BYTES);
      await client.attach(id).screen.sees(/^the-end$/m);
      typeInto(quiet.session, 'echo alive-$((1+1))\n');
      await quiet.screen.sees(/alive-2/);
    },
  );

  it('[F19] [F20] without a free terminal, a typed error is returned; running sessions continue, and new ones work later', async () => {
    // A shell that lowers the limit and then becomes the agent.
    const program = [
      '/bin/sh',
      '-c',
      `ulimit -n 48; exec ${process.execPath} ${BUILT} "$@"`,
      'agent',
    ] as const;
    await using world = await openWorld({ agentProgram: program });
    const client = await world.client();
    const { session, screen } = await client.open();
    const made: string[] = [];
    const create = () => client.client.create({ cols: 80, rows: 24, command: 'sh' });
    let refusal: unknown;
    while (refusal === undefined)
      await create().then(
        ({ id }) => made.push(id),
        (error) => (refusal = error),
      );
    expect(refusal).toMatchObject({ code: 'no_pty' });
    typeInto(session, 'echo alive-$((1+1))\n');
    await screen.sees(/alive-2/);
    for (const id of made) await client.client.close(id);
    await create();
  });
});
