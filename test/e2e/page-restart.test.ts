/** What a user sees in a real browser when the agent is restarted or killed, with and without a state directory. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { METADATA_NAME } from '../../vm-agent/disk/load-session.ts';
import { expectTabs } from '../support/expect-tabs.ts';
import { openTerminal } from '../support/page-story.ts';
import { sharedRelays } from '../support/shared-relays.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

const relays = sharedRelays();
let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-restart-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const kept = async () =>
  World.open({ agentFlags: ['--state-dir', join(dir, 'state')] }, await relays.onWorkerd());

/** What the metadata files of the state directory name as directories. */
function directoriesKept(): string[] {
  const sessions = join(dir, 'state', 'sessions');
  return readdirSync(sessions).flatMap((id) => {
    const path = join(sessions, id, METADATA_NAME);
    // It is replaced by renaming another over it; before the first there is none.
    if (!existsSync(path)) return [];
    return [JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '{}').cwd];
  });
}

const newShell = (page: Page) =>
  page
    .getByRole('tabpanel')
    .getByText(/^“Terminal 1” is a new shell; the old one and its programs have ended\./);

async function dismiss(page: Page): Promise<void> {
  await newShell(page).waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await newShell(page).waitFor({ state: 'hidden' });
}

describe('an agent with a state directory', () => {
  it('[U1] [D3] [AG12] three restarts in a row leave one tab with its old screens, in its directory', async () => {
    await using world = await kept();
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types(`cd ${dir}; echo life-$((1-1))\n`);
    await terminal.shows(/^life-0$/m);
    for (let life = 1; life <= 3; life++) {
      await world.restartAgent();
      await dismiss(page);
      await terminal.shows(new RegExp(`^life-${life - 1}$[\\s\\S]*restored [\\s\\S]*new shell below`, 'm'));
      await terminal.types(`echo life-$((${life}-0)); pwd\n`);
      await terminal.shows(new RegExp(`^life-${life}\n${dir}$`, 'm'));
      await expectTabs(page, '[Terminal 1]');
    }
    const { client } = await world.client();
    expect((await client.list()).map(({ name, status }) => `${name} ${status}`)).toEqual([
      'Terminal 1 running',
    ]);
    await page.context().close();
  });

  it('[U10] killed: the page says that the shell is new, and does not run what was typed meanwhile', async () => {
    await using world = await kept();
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types(`cd ${dir}; echo before-$((1+1))\n`);
    await terminal.shows(/^before-2$/m);
    // The directory is checked after output, and written with the journal.
    await expect.poll(() => directoriesKept()).toContain(dir);
    world.freeze();
    await terminal.typesBlindly('echo typed-$((1+1))\n');
    await page.getByText(/echo typed-\$\(\(1\+1\)\)⏎/).waitFor();
    await world.crashAgent();
    await newShell(page).waitFor();
    await page.getByText('Not delivered: echo typed-$((1+1))⏎').waitFor();
    expect(await page.getByText('nothing missed').count()).toBe(0);
    await terminal.shows(/^before-2$[\s\S]*new shell below/m);
    await dismiss(page);
    await terminal.types('pwd\n');
    await terminal.shows(new RegExp(`^${dir}$`, 'm'));
    expect(await terminal.screen()).not.toMatch(/^typed-2$/m);
    await page.context().close();
  });
});

describe('an agent without a state directory', () => {
  it('[U9] killed or stopped: the old output stays above a divider with the new shell below it', async () => {
    await using world = await World.open({}, await relays.onWorkerd());
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    for (const end of ['crashAgent', 'restartAgent'] as const) {
      await terminal.types(`echo ${end}-$((1+1))\n`);
      await terminal.shows(new RegExp(`^${end}-2$`, 'm'));
      await world[end]();
      await newShell(page).waitFor();
      await terminal.shows(new RegExp(`^${end}-2$[\\s\\S]*agent restarted · new shell below`, 'm'));
      await dismiss(page);
      await terminal.types('echo after-$((1+1))\n');
      await terminal.shows(new RegExp(`^${end}-2$[\\s\\S]*new shell below[\\s\\S]*^after-2$`, 'm'));
      await expectTabs(page, '[Terminal 1]');
    }
    await page.context().close();
  });
});
