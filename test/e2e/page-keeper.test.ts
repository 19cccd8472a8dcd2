/** A person at work while the agent process is killed three times and replaced once. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentOf } from '../support/kept-agent.ts';
import { hasProc } from '../support/needs-proc.ts';
import { newTerminal, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;
const hasVim = existsSync('/usr/bin/vim');

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-page-keeper-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!hasKeeper)('an agent that is killed three times and replaced once', () => {
  it(`[K1] [K2] [F26] [F27] leaves an editor, a build and a half-typed line as they were${hasVim ? '' : ' (without vim)'}`, async () => {
    await using world = await World.open({ home });
    const page = await openTerminal(world);
    const terminal = terminalOf(page);

    // A build that goes on, and a half-typed line below it.
    await terminal.types('(while :; do echo built >> build; sleep 0.05; done) & echo job-$((1+1))\n');
    await terminal.shows(/^job-2$/m);
    await newTerminal(page);
    await terminal.types(hasVim ? 'vim -u NONE -N notes\n' : 'cat\n');
    if (hasVim) await terminal.shows(/^~$/m);
    await terminal.typesBlindly(hasVim ? 'ifirst line\nsecond li' : 'second li');
    await terminal.shows(/second li$/m);
    await page.getByRole('tab').first().click();
    await terminal.types('echo half-typed');
    await terminal.shows(/echo half-typed$/m);

    const agents = new Set<number | undefined>();
    for (const how of ['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGUSR2'] as const) {
      const agent = agentOf(world.agent.pid);
      agents.add(agent);
      if (how === 'SIGKILL') world.killAgent();
      else process.kill(world.agent.pid, how);
      await expect.poll(() => agentOf(world.agent.pid)).not.toBe(agent);
      await expect.poll(async () => (await world.health()).agent.state).toBe('online');
    }
    expect(agents.size).toBe(4);

    await terminal.typesBlindly('-line\n');
    await terminal.shows(/^half-typed-line$/m);
    const lines = '$(wc -l < build)';
    await terminal.types(`n=${lines}; until [ ${lines} -gt $n ]; do sleep 0.1; done; echo builds-$((1+1))\n`);
    await terminal.shows(/^builds-2$/m);
    expect(await page.getByText(/is gone|new shell|lost/i).count()).toBe(0);
    await page.getByRole('tab').nth(1).click();
    await terminal.shows(/second li$/m);
    await terminal.typesBlindly('ne');
    await terminal.shows(/second line$/m);
    expect(await page.getByRole('tab').count()).toBe(2);
    if (process.env.HOLDFAST_PICTURES !== undefined)
      await page.screenshot({ path: join(process.env.HOLDFAST_PICTURES, 'keeper.png') });
  });
});
