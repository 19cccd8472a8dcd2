/** `holdfast agent` as installed: the process that was started is the keeper, and `reload` replaces its agent. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BIN, holdfast } from '../support/holdfast-command.ts';
import { agentOf } from '../support/kept-agent.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { familyOf } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { typeInto } from '../support/type-into.ts';
import { World } from '../support/world.ts';

const relays = sharedRelays();
const openWorld = async (...args: string[]) =>
  World.open({ agentProgram: [process.execPath, BIN, 'agent', ...args] }, await relays.onWorkerd());

const commandLine = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'latin1');

describe.skipIf(!hasProc)(`holdfast agent${unlessProc}`, () => {
  it('[K1] [F26] [F27] is a keeper: its shells survive a kill and a reload of the agent, and end with it', async () => {
    await using world = await openWorld();
    const keeper = world.agent.pid;
    using client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, 'n=5; echo shell-$$-end\n');
    const [, shell] = await screen.sees(/^shell-(\d+)-end$/m);
    expect(commandLine(keeper)).toMatch(/^holdfast keeper --relay /);
    const first = agentOf(keeper) as number;
    expect(commandLine(first)).toMatch(/\/agent\/main\.js\0/);
    // Nobody who looks for one takes it for the other, wherever they are installed.
    expect(commandLine(first).split('\0').slice(1).join(' ').replaceAll(dirname(BIN), '')).not.toContain(
      'keeper',
    );

    process.kill(first, 'SIGKILL');
    typeInto(session, 'echo killed-$((n+1))\n');
    await screen.sees(/^killed-6$/m);

    const second = agentOf(keeper);
    const reload = await holdfast(['agent', 'reload', '--pid', `${keeper}`]);
    expect(reload).toMatchObject({ code: 0, err: '' });
    const third = agentOf(keeper);
    expect(reload.out).toBe(
      `The new agent (process ${third}) has taken over from ${second}; shells keep running.\n`,
    );
    expect(third).not.toBe(second);
    typeInto(session, 'echo reloaded-$((n+2))-$$\n');
    await screen.sees(new RegExp(`^reloaded-7-${shell}$`, 'm'));

    const family = familyOf(keeper);
    expect(family.map(({ pid }) => pid)).toContain(Number(shell));
    process.kill(keeper, 'SIGTERM');
    expect(await world.agent.ended).toBe('exit code 0');
    await gone(family);
  });

  it('[K5] with --no-keeper is one process that owns its shells', async () => {
    await using world = await openWorld('--no-keeper');
    using client = await world.client();
    const { session, screen } = await client.open();
    typeInto(session, 'echo parent-$PPID-end\n');
    await screen.sees(new RegExp(`^parent-${world.agent.pid}-end$`, 'm'));
    expect(agentOf(world.agent.pid)).toBeUndefined();
  });
});

describe('holdfast agent', () => {
  it.each([
    [['--relay', 'nonsense'], /^holdfast agent: HOLDFAST_RELAY is "nonsense", which is not an http/],
    [['--verbose'], /^holdfast agent: unknown option --verbose; options are .*--no-keeper\.$/m],
    [['reload', '--pid', 'x'], /^holdfast agent: --pid is "x", which is not the number of a process\.$/m],
  ])('says in one sentence which setting is wrong, and exits with 2: %j', async (flags, sentence) => {
    const { code, err } = await holdfast(['agent', ...flags]);
    expect([code, err]).toEqual([2, expect.stringMatching(sentence)]);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('[K5] explains --no-keeper and reload', async () => {
    const { out } = await holdfast(['agent', '--help']);
    expect(out).toMatch(/^ {2}--no-keeper +runs everything in one process/m);
    expect(out).toMatch(/^ {7}holdfast agent reload/m);
    expect((await holdfast(['agent', 'reload', '--help'])).out).toMatch(
      /^usage: holdfast agent reload \[--keeper\] \[--pid/,
    );
  });
});
