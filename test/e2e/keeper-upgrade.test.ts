/** The keeper is replaced in place, and its programs do not notice. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgradeTrouble } from '../../vm-agent/keeper/upgrade.ts';
import { agentOf, askForAgent, askForKeeper } from '../support/kept-agent.ts';
import { knownSession } from '../support/known-session.ts';
import { processes } from '../support/process-table.ts';
import { typeInto } from '../support/type-into.ts';
import { BUILT_KEEPER, World } from '../support/world.ts';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const canUpgrade = upgradeTrouble() === null && process.env.HOLDFAST_NO_KEEPER === undefined;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-upgrade-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const logsOf = (world: World) => world.agentLogs.join('\n');

/** Waits for the nth keeper after the first, and its agent. */
async function upgraded(world: World, nth: number): Promise<void> {
  await expect.poll(() => logsOf(world)).toMatch(new RegExp(`keeper_upgraded","times":${nth},`));
  await expect.poll(() => logsOf(world).split('keeper_upgraded').at(-1)).toMatch(/agent_ready/);
}

async function upgrade(world: World, nth: number): Promise<void> {
  using _asking = askForKeeper(world.agent.pid);
  await upgraded(world, nth);
}

describe.skipIf(!canUpgrade)('a keeper that is upgraded', () => {
  it('[K4] keeps its pid, its epoch, every program and a half-typed line, twice', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const { id, session, screen } = await client.open();
    typeInto(session, 'n=5; echo shell-$$-end\n');
    const [, shell] = await screen.sees(/^shell-(\d+)-end$/m);
    typeInto(session, 'echo half-');
    await screen.sees(/echo half-$/m);
    const before = await knownSession(client, id);
    await upgrade(world, 1);
    typeInto(session, 'typed-$((n+1))-$$\n');
    await screen.sees(new RegExp(`^half-typed-6-${shell}$`, 'm'));
    await upgrade(world, 2);
    typeInto(session, 'echo again-$((n+=2))-$$\n');
    await screen.sees(new RegExp(`^again-7-${shell}$`, 'm'));
    expect(await knownSession(client, id)).toMatchObject({
      epoch: before?.epoch,
      createdAt: before?.createdAt,
    });
    const parent = processes().find(({ pid }) => pid === Number(shell))?.parent;
    expect(parent).toBe(world.agent.pid);
  });

  it('[K4] loses no byte in either direction, and repeats none', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const typed = join(dir, 'typed');
    const script = `stty raw -echo; echo ready; i=0; while :; do echo line-$i; i=$((i+1)); sleep 0.005; done & exec cat > ${typed}`;
    const { session, screen } = await client.open('sh', ['-c', script]);
    await screen.sees(/ready/);
    let words = 0;
    const type = () => {
      for (const end = words + 200; words < end; words++) typeInto(session, `${words} `);
    };
    for (const nth of [1, 2, 3]) {
      type();
      using _asking = askForKeeper(world.agent.pid);
      type();
      await upgraded(world, nth);
      await client.until(() => session.unsentBytes === 0);
    }
    const expected = Array.from({ length: words }, (_, word) => `${word} `).join('');
    await expect.poll(() => readFileSync(typed, 'utf8')).toBe(expected);
    const lines = [...screen.text.matchAll(/line-(\d+)\n/g)].map(([, number]) => Number(number));
    expect(lines.length).toBeGreaterThan(5);
    expect(lines).toEqual(lines.map((_, at) => (lines[0] as number) + at));
  });

  it('[K4] tells how programs end that an earlier keeper started, with all they printed', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const go = join(dir, 'go');
    const wait = `echo waiting; while [ ! -e ${go} ]; do sleep 0.01; done; seq 1 2000`;
    const seven = await client.open('sh', ['-c', `${wait}; exit 7`]);
    const killed = await client.open('sh', ['-c', `${wait}; kill -TERM $$`]);
    for (const { screen } of [seven, killed]) await screen.sees(/waiting/);
    await upgrade(world, 1);
    writeFileSync(go, '');
    for (const { screen } of [seven, killed]) await screen.sees(/^1999\n2000$/m);
    await expect.poll(() => knownSession(client, seven.id)).toMatchObject({ exitCode: 7, signal: null });
    await expect
      .poll(() => knownSession(client, killed.id))
      .toMatchObject({ exitCode: null, signal: 'SIGTERM' });
    // A new one works as before, and how the others ended is still known after another upgrade.
    const other = await client.open('sh', ['-c', 'exit 3']);
    await expect.poll(() => knownSession(client, other.id)).toMatchObject({ exitCode: 3 });
    await upgrade(world, 2);
    expect(await knownSession(client, seven.id)).toMatchObject({ exitCode: 7 });
    expect(await knownSession(client, other.id)).toMatchObject({ exitCode: 3 });
  });

  it('[K4] is not ended by requests that come at any moment of it', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, 'n=5; echo shell-$$-end\n');
    const [, shell] = await screen.sees(/^shell-(\d+)-end$/m);
    // Many of them come while the keeper that was just started cannot hear them yet.
    let asked = 0;
    const asking = setInterval(() => {
      askForAgent(world.agent.pid);
      asked++;
    }, 5);
    const ended = world.agent.ended.then(() => {
      clearInterval(asking);
      return 'ended';
    });
    try {
      for (const nth of [1, 2, 3])
        expect(await Promise.race([ended, upgrade(world, nth)]), `upgrade ${nth}`).toBeUndefined();
    } finally {
      clearInterval(asking);
    }
    expect(asked).toBeGreaterThan(50);
    typeInto(session, 'echo still-$((n+1))-$$\n');
    await screen.sees(new RegExp(`^still-6-${shell}$`, 'm'));
  });

  it('[K4] [SEC9] gives its new agent and new shells no terminal of others, and keeps no state open', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const { session, screen } = await client.open();
    await upgrade(world, 1);
    expect(linksOf(agentOf(world.agent.pid) as number).filter((link) => link.endsWith('ptmx'))).toEqual([]);
    expect(linksOf(world.agent.pid).filter((link) => link.endsWith('ptmx'))).toHaveLength(1);
    expect(linksOf(world.agent.pid).filter((link) => link.includes('holdfast-'))).toEqual([]);
    typeInto(session, 'echo fine-$((1+1))\n');
    await screen.sees(/^fine-2$/m);
    const other = await client.open('sh', ['-c', 'ls -l /proc/$$/fd; echo listed']);
    await other.screen.sees(/listed/);
    expect(other.screen.text).not.toMatch(/ptmx/);
  });
});

/** What the descriptors of a process are. */
function linksOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return []; // it was closed meanwhile
    }
  });
}

describe.skipIf(!canUpgrade)('a new keeper that cannot take over', () => {
  it.each([
    ['does not start', 'process.exit(3);\n', /the new keeper cannot take over \(exit code 3\)/],
    [
      'refuses the state',
      'console.error("It has version 9.");process.exit(2);\n',
      /cannot take over \(It has version 9\.\)/,
    ],
    ['says nothing', 'process.exit(0);\n', /cannot take over \(exit code 0\)/],
  ])('[K4] changes nothing if it %s', async (_what, text, why) => {
    const folder = join(DIST, `test-${process.pid}-upgrade`, 'agent');
    mkdirSync(folder, { recursive: true });
    cpSync(join(DIST, 'agent'), folder, { recursive: true });
    const file = join(folder, 'keeper.js');
    try {
      await using world = await World.open({ agentProgram: [process.execPath, file] });
      using client = await world.client();
      const { session, screen } = await client.open();
      typeInto(session, 'n=5; echo ready-$n\n');
      await screen.sees(/^ready-5$/m);
      const agent = agentOf(world.agent.pid);
      writeFileSync(file, text);
      using _asking = askForKeeper(world.agent.pid);
      await expect.poll(() => logsOf(world)).toMatch(why);
      expect(agentOf(world.agent.pid)).toBe(agent);
      typeInto(session, 'echo old-$((n+1))\n');
      await screen.sees(/^old-6$/m);
    } finally {
      rmSync(join(folder, '..'), { recursive: true });
    }
  });
});
