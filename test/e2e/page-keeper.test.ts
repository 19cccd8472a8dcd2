/** A person at work while the agent process is killed three times and replaced once, and then its keeper too. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgradeTrouble } from '../../vm-agent/keeper/upgrade.ts';
import { agentOf, askForAgent, askForKeeper } from '../support/kept-agent.ts';
import { hasProc } from '../support/needs-proc.ts';
import { newTerminal, openTerminal } from '../support/page-story.ts';
import { familyOf } from '../support/process-table.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;
const hasVim = existsSync('/usr/bin/vim');

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-page-keeper-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The shells and what runs in them, but for the pauses of a build: each is a copy of the shell for a moment. */
function programsOf(world: World): string[] {
  const keeper = world.agent.pid;
  const others = [keeper, agentOf(keeper)];
  const isPause = (name: string, parent: number) => name === 'sleep' || (name === 'sh' && parent !== keeper);
  return familyOf(keeper)
    .filter(({ pid, name, parent }) => !others.includes(pid) && !isPause(name, parent))
    .map(({ pid, name }) => `${name} ${pid}`)
    .toSorted();
}

/** Waits for another agent, and until it serves. */
async function replaced(world: World, agent: number | undefined): Promise<void> {
  await expect.poll(() => agentOf(world.agent.pid) ?? agent).not.toBe(agent);
  await expect.poll(async () => (await world.health()).agent.state).toBe('online');
}

describe.skipIf(!hasKeeper)('an agent that is killed three times and replaced once', () => {
  it(`[K1] [K2] [K4] [F26] [F27] leaves an editor, a build and a half-typed line as they were${hasVim ? '' : ' (without vim)'}`, async () => {
    await using world = await World.open({ home });
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    const tab = (number: number) => page.getByRole('tab').nth(number).click();

    await terminal.types('n=5; echo half-typed');
    await terminal.shows(/echo half-typed$/m);
    const line = await terminal.screen();
    await newTerminal(page);
    await terminal.types(hasVim ? 'vim -u NONE -N notes\n' : 'cat\n');
    if (hasVim) await terminal.shows(/^~$/m);
    await terminal.typesBlindly(hasVim ? 'ifirst line\nsecond li' : 'second li');
    await terminal.shows(/second li$/m);
    const editor = await terminal.screen();
    await newTerminal(page);
    const step = 'i=$((i+1)); echo step-$i; sleep 0.1';
    await terminal.types(`i=0; while [ ! -e stop ]; do ${step}; done; echo built-$i\n`);
    await terminal.shows(/^step-3$/m);

    const programs = programsOf(world);
    expect(programs).toHaveLength(4);
    const agents = new Set<number | undefined>();
    for (const replace of [...Array(3).fill(() => world.killAgent()), () => askForAgent(world.agent.pid)]) {
      const agent = agentOf(world.agent.pid);
      agents.add(agent);
      replace();
      await replaced(world, agent);
    }
    expect(agents.size).toBe(4);
    if (upgradeTrouble() === null) {
      const agent = agentOf(world.agent.pid);
      using _asking = askForKeeper(world.agent.pid);
      await expect.poll(() => world.agentLogs.join('\n')).toMatch(/keeper_upgraded/);
      await replaced(world, agent);
    }
    expect(programsOf(world)).toEqual(programs);

    // The build has gone on, and no step is missing.
    writeFileSync(join(home, 'stop'), '');
    await terminal.shows(/^built-\d+$/m);
    const steps = [...(await terminal.screen()).matchAll(/^(?:step|built)-(\d+)$/gm)].map(([, n]) =>
      Number(n),
    );
    expect(steps.length).toBeGreaterThan(3);
    expect(steps.slice(0, -1)).toEqual(steps.slice(0, -1).map((_, at) => (steps[0] as number) + at));
    expect(steps.at(-1)).toBe(steps.at(-2));
    await tab(0);
    await expect.poll(() => terminal.screen()).toBe(line);
    await terminal.typesBlindly('-line-$n\n');
    await terminal.shows(/^half-typed-line-5$/m);
    await tab(1);
    await expect.poll(() => terminal.screen()).toBe(editor);
    await terminal.typesBlindly('ne');
    await terminal.shows(/second line$/m);
    expect(await page.getByText(/is gone|new shell|lost/i).count()).toBe(0);
    expect(await page.getByRole('tab').count()).toBe(3);
    if (process.env.HOLDFAST_PICTURES !== undefined)
      await page.screenshot({ path: join(process.env.HOLDFAST_PICTURES, 'keeper.png') });
  });
});
