/**
 * From nothing to a phone with three commands: `up` here, `invite` here, and on the machine the line that it printed. The
 * long version, from the packed archive in an empty root directory, is test/first-minute/run.ts.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { openAndContinue } from '../support/first-minute.ts';
import { DeskTerminal, holdfast } from '../support/holdfast-command.ts';
import { newTerminal, tabsOf } from '../support/page-story.ts';
import { familyOf } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { sharedBrowser } from '../support/shared-browser.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';

/** In a window of a user with this home, until the test is over. */
function running(home: string, args: readonly string[]): DeskTerminal {
  const desk = new DeskTerminal(args, { HOME: home, SHELL: '/bin/sh' }, { size: { cols: 300, rows: 40 } });
  onTestFinished(async () => {
    const family = familyOf(desk.pid);
    desk.presses('\x03');
    await gone(family);
  });
  return desk;
}

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Opens a link that the owner makes on the page, as somebody else. */
async function share(desk: Page, { label, choices = [], phone = false }: Shared): Promise<Page> {
  await desk.getByRole('button', { name: 'Share' }).click();
  const dialog = desk.getByRole('dialog', { name: 'Share' });
  for (const choice of choices) await dialog.getByText(choice, { exact: true }).click();
  await dialog.getByLabel('Label').fill(label);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = (await dialog.locator('.share-link').textContent()) ?? '';
  await desk.keyboard.press('Escape');
  const page = await (await (await sharedBrowser()).newContext(phone ? PHONE : {})).newPage();
  await page.goto(readable(link));
  return page;
}

interface Shared {
  readonly label: string;
  readonly choices?: readonly string[];
  readonly phone?: boolean;
}

/** Ben may type everywhere, Cleo watches one terminal on a phone. */
async function workTogether(desk: Page): Promise<void> {
  const ben = await share(desk, { label: 'Ben', choices: ['All sessions of this workspace', 'Can type'] });
  await terminalOf(ben).shows(/^from-the-phone-42$/m);
  await terminalOf(ben).types('echo by-ben-$((1+1))\n');
  await terminalOf(desk).shows(/^by-ben-2$/m);
  await newTerminal(desk);
  await terminalOf(desk).types('echo for-cleo-$((1+1))\n');
  const cleo = await share(desk, { label: 'Cleo', phone: true });
  await terminalOf(cleo).shows(/^for-cleo-2$/m);
  await cleo.getByText('View only').waitFor();
  expect(await tabsOf(cleo)).toEqual(['[Terminal 2]']);
  const about = (name: string) => desk.getByRole('tab', { name }).getAttribute('aria-description');
  await expect.poll(() => about('Terminal 1')).toMatch(/Also here: Ben \(link\)/);
  await expect.poll(() => about('Terminal 2')).toMatch(/Also here: Cleo \(link\)/);
  expect(await cleo.locator('body').textContent(), 'who is in another terminal').not.toContain('Ben');
  for (const page of [ben, cleo]) await page.context().close();
}

it('[J1] [J2] [J5] [J6] three commands and one carried line lead to a terminal on a phone, and to others by links', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-first-minute-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [here, there] = [join(dir, 'here'), join(dir, 'there')];
  for (const home of [here, there]) mkdirSync(home);

  const up = running(here, ['up', '--port', '0']);
  const [, ownerLink = ''] = await up.screen.sees(
    /^To log in as the owner, once, within 10 minutes: (\S+)$/m,
  );
  const { out: carried } = await holdfast(['invite'], { env: { HOME: here } });
  const [, relay = '', code = ''] = /^holdfast join (\S+) '(#\S+)'\n$/.exec(carried) ?? [];
  const joined = running(there, ['join', relay, code, '--name', 'build-7']);
  await joined.screen.sees(/^Running\./m);

  const { desk, phone } = await openAndContinue(await sharedBrowser(), ownerLink, 'build-7');
  expect(new URL(phone.url()).pathname).toBe('/w/build-7');
  await phone.context().close();
  await desk.keyboard.press('Escape');
  await workTogether(desk);
  await desk.context().close();
});
