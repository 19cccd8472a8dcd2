/** A tab whose shell has ended, and the ended session in the list. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import { complaintsOf, endSessions, forget, newTerminal, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

let page: Page;
beforeEach(async () => {
  page = await openTerminal(world, { page });
  const complaints = complaintsOf(page);
  return async () => {
    await forget(page, world);
    await endSessions(world);
    // Last: a complaint about this test must not leave its page to the next.
    expect(complaints).toEqual([]);
  };
});

it('[U17] `exit` closes the tab and focuses the next; after the last one, Enter opens another', async () => {
  const terminal = terminalOf(page);
  await newTerminal(page);
  await terminal.types('exit\n');
  await expectTabs(page, '[Terminal 1]');
  await page.getByText('Closed “Terminal 2”.').waitFor();
  await terminal.types('echo here-$((1+1))\n');
  await terminal.shows(/^here-2$/m);
  await terminal.types('exit\n');
  await page.getByText('No terminal is open in this window.').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Open a terminal');
  await page.keyboard.press('Enter');
  await terminal.types('echo again-$((1+1))\n');
  await terminal.shows(/^again-2$/m);
});

it('[U17] a tab closed by `exit` can be reopened for reading, and Enter starts a shell in it', async () => {
  const terminal = terminalOf(page);
  await terminal.types('echo last-$((1+1)); exit\n');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The shell has ended (exit code 0).').waitFor();
  await terminal.shows(/^last-2$/m);
  await page.keyboard.press('Enter');
  await terminal.types('echo fresh-$((1+1))\n');
  await terminal.shows(/^fresh-2$/m);
  await expectTabs(page, '[Terminal 1]');
});

it('[U17] after an error the tab stays, Enter restarts the shell in it, and the list keeps no old entry', async () => {
  const terminal = terminalOf(page);
  await terminal.types('exit 3\n');
  await page.getByText('The shell has ended (exit code 3).').waitFor();
  await page.getByText('Press Enter or').waitFor();
  await page.keyboard.press('Enter');
  await terminal.types('echo fresh-$((1+1))\n');
  await terminal.shows(/^fresh-2$/m);
  await expectTabs(page, '[Terminal 1]');
  const { client } = await world.client();
  await expect.poll(async () => (await client.list()).map(({ status }) => status)).toEqual(['running']);
  client.leave();
});

it('[U17] with the setting off the tab stays, and the list offers to remove the ended session', async () => {
  const terminal = terminalOf(page);
  await page.keyboard.press('Alt+Shift+Comma');
  await page.getByLabel('Close tab when the shell exits without an error').uncheck();
  await page.keyboard.press('Escape');
  await newTerminal(page);
  await terminal.types('exit\n');
  await page.getByText('The shell has ended (exit code 0).').waitFor();
  await expectTabs(page, 'Terminal 1', '[Terminal 2]');
  await page.getByRole('button', { name: 'Sessions' }).click();
  const panel = page.getByRole('dialog', { name: 'Sessions' });
  await panel.getByRole('button', { name: 'End Terminal 1' }).waitFor();
  expect(await panel.getByRole('button', { name: 'End Terminal 2' }).count()).toBe(0);
  await panel.getByRole('button', { name: 'Remove Terminal 2' }).click();
  await panel.getByText('Terminal 2').waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'End Terminal 1' }).waitFor();
});
