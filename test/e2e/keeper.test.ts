/** Programs outlive their agent: it is killed, replaced, or does not start any more. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentOf, askForAgent } from '../support/kept-agent.ts';
import { knownSession } from '../support/known-session.ts';
import { hasProc } from '../support/needs-proc.ts';
import { processes } from '../support/process-table.ts';
import { typeInto } from '../support/type-into.ts';
import { BUILT_KEEPER, World } from '../support/world.ts';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
/** One process has no keeper, and these stories are about it. */
const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-keeper-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const agentIn = (world: World) => agentOf(world.agent.pid);

/** The next agent process after `before`. */
async function nextAgent(world: World, before: number | undefined): Promise<number> {
  await expect.poll(() => agentIn(world)).not.toBe(before);
  await expect.poll(() => agentIn(world)).toBeDefined();
  return agentIn(world) as number;
}

async function hasEnded(pid: number): Promise<void> {
  await expect.poll(() => processes().some((process) => process.pid === pid)).toBe(false);
}

describe.skipIf(!hasKeeper)('an agent that is killed', () => {
  it('[K1] [K2] leaves its programs running; clients resume in the same epoch', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const { id, session, screen } = await client.open();
    typeInto(session, 'n=5; echo $((6*7))\n');
    await screen.sees(/^42$/m);
    const before = await knownSession(client, id);
    for (const round of [1, 2, 3]) {
      world.killAgent();
      typeInto(session, `echo again-${round}-$((n+=1))\n`);
      await screen.sees(new RegExp(`^again-${round}-${5 + round}$`, 'm'));
    }
    expect(await knownSession(client, id)).toMatchObject({
      epoch: before?.epoch,
      createdAt: before?.createdAt,
      name: before?.name,
    });
  });

  it('[K1] [F26] loses no byte in either direction, and repeats none', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const typed = join(dir, 'typed');
    const script = `stty raw -echo; echo ready; i=0; while :; do echo line-$i; i=$((i+1)); sleep 0.005; done & exec cat > ${typed}`;
    const { session, screen } = await client.open('sh', ['-c', script]);
    await screen.sees(/ready/);
    let words = 0;
    for (let kill = 0; kill < 3; kill++) {
      const agent = agentIn(world);
      for (const end = words + 50; words < end; words++) typeInto(session, `${words} `);
      world.killAgent();
      for (const end = words + 50; words < end; words++) typeInto(session, `${words} `);
      await nextAgent(world, agent);
      await client.until(() => session.unsentBytes === 0);
    }
    const expected = Array.from({ length: words }, (_, word) => `${word} `).join('');
    await expect.poll(() => readFileSync(typed, 'utf8')).toBe(expected);
    const lines = [...screen.text.matchAll(/line-(\d+)/g)].map(([, number]) => Number(number));
    expect(lines.length).toBeGreaterThan(5);
    expect(lines).toEqual(lines.map((_, at) => (lines[0] as number) + at));
  });

  it('[K3] is followed by one that tells how a program ended meanwhile, with all it printed', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const file = join(dir, 'go');
    const wait = `echo waiting; while [ ! -e ${file} ]; do sleep 0.01; done; seq 1 2000; exit 7`;
    const { id, screen } = await client.open('sh', ['-c', wait]);
    await screen.sees(/waiting/);
    world.killAgent();
    writeFileSync(file, '');
    await screen.sees(/^1999\n2000$/m);
    await expect.poll(async () => (await knownSession(client, id))?.exitCode).toBe(7);
  });

  it('[K1] draws the same screen for a new client, also after more output than is kept', async () => {
    await using world = await World.open({ agentProgram: BUILT_KEEPER });
    using client = await world.client();
    const { id, session, screen } = await client.open();
    // Three times the history, so that the screen can only come from what the agent left.
    typeInto(session, `seq 1 120000; printf '\\033[31mred\\033[0m \\033]0;named\\007'; echo end-$((1+1))\n`);
    await screen.sees(/end-2/);
    await client.client.refresh(id);
    expect((await knownSession(client, id))?.bufferBytes).toBe(262144);
    const agent = agentIn(world);
    world.killAgent();
    await nextAgent(world, agent);
    using other = await world.client();
    const second = other.attach(id);
    await second.screen.sees(/red end-2/);
    await client.until(() => session.state.name === 'live');
    expect(second.screen.text).toBe(screen.text);
  });
});

describe.skipIf(!hasKeeper)('a keeper that is killed', () => {
  it('[F28] ends its programs and its agent; the next one restores the screens', async () => {
    const flags = ['--state-dir', join(dir, 'state')];
    await using world = await World.open({ agentProgram: BUILT_KEEPER, agentFlags: flags });
    using client = await world.client();
    const { session, screen } = await client.open();
    // A shell that ignores the hang-up of its terminal.
    typeInto(session, 'trap "" HUP; echo pid-$$-\n');
    await screen.sees(/pid-\d+-/);
    const [, shell] = /pid-(\d+)-/.exec(screen.text) ?? [];
    const agent = agentIn(world) as number;
    process.kill(world.agent.pid, 'SIGKILL');
    await world.agent.ended;
    await hasEnded(agent);
    await hasEnded(Number(shell));
    await world.restartAgent();
    await screen.sees(/new shell below/);
  });
});

describe.skipIf(!hasKeeper)('a keeper that replaces its agent', () => {
  /** The agent as it is installed, in a folder that a test can change. */
  async function installed(name: string) {
    const folder = join(DIST, `test-${process.pid}-${name}`, 'agent');
    mkdirSync(folder, { recursive: true });
    cpSync(join(DIST, 'agent'), folder, { recursive: true });
    const main = join(folder, 'main.js');
    const whole = readFileSync(main);
    const world = await World.open({ agentProgram: [process.execPath, join(folder, 'keeper.js')] });
    return {
      world,
      breaks: () => writeFileSync(main, 'process.exit(3);\n'),
      mends: () => writeFileSync(main, whole),
      async [Symbol.asyncDispose]() {
        await world[Symbol.asyncDispose]();
        if (existsSync(folder)) rmSync(join(folder, '..'), { recursive: true });
      },
    };
  }

  it('[F27] [K4] keeps every program; a replacement that does not start changes nothing', async () => {
    await using agent = await installed('reload');
    const { world } = agent;
    using client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, 'n=5; echo ready-$n\n');
    await screen.sees(/^ready-5$/m);
    const first = agentIn(world);

    agent.breaks();
    process.kill(world.agent.pid, 'SIGUSR2');
    await expect.poll(() => world.agentLogs.join('\n')).toMatch(/reload_failed/);
    expect(agentIn(world)).toBe(first);
    typeInto(session, 'echo old-$((n+1))\n');
    await screen.sees(/^old-6$/m);

    agent.mends();
    askForAgent(world.agent.pid);
    await hasEnded(first as number);
    expect(await nextAgent(world, first)).not.toBe(first);
    typeInto(session, 'echo new-$((n+2))\n');
    await screen.sees(/^new-7$/m);
  });

  it('[F30] goes on while the agent does not start, and says why when it does', async () => {
    await using agent = await installed('loop');
    const { world } = agent;
    using client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, 'n=5; echo ready-$n\n');
    await screen.sees(/^ready-5$/m);
    agent.breaks();
    world.killAgent();
    const ends = () => world.agentLogs.join('\n').match(/agent_ended/g)?.length ?? 0;
    await expect.poll(ends).toBeGreaterThanOrEqual(4);
    agent.mends();
    typeInto(session, 'echo back-$((n+1))\n');
    await screen.sees(/^back-6$/m);
  });
});
