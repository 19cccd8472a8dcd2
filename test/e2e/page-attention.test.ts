/** What wants a person's attention: on tabs, in the sessions panel, in notifications, and after an absence. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HidingBrowser } from '../support/hiding-browser.ts';
import { barriersOf, endSessions, newTerminal, openTerminal, tabsOf } from '../support/page-story.ts';
import { needWholeBrowser } from '../support/shared-browser.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

needWholeBrowser();

let world: World;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-attention-'));
  writeFileSync(join(home, '.bashrc'), "PS1='$ '\n");
  world = await World.open({ shell: '/bin/bash', home });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** Says something as soon as the shell reads it. */
const says = (text: string) => `${String.raw`printf '\033]9;${text}\007'`}\n`;

const tab = (where: Page, index: number) => where.getByRole('tab').nth(index);
const marked = (where: Page, index: number) =>
  expect.poll(() => tab(where, index).getAttribute('data-marker'), { timeout: 15_000 });

/** Types into a session of which the page shows nothing, as a script does. */
async function typeUnseen(name: string, text: string): Promise<void> {
  const api = await world.api();
  const { client } = await world.client();
  const session = (await client.list()).find((one) => one.name === name);
  client.leave();
  await api.type(session?.id ?? '', text);
}

interface Shown {
  title: string;
  body?: string;
  click(): void;
}

it('[A4] a hidden page notifies, once for each moment, and a click shows the terminal', async () => {
  await endSessions(world);
  await using browser = await HidingBrowser.start();
  await browser.context.grantPermissions(['notifications']);
  await browser.context.addInitScript(() => {
    const shown: Shown[] = [];
    class Recorded extends Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        shown.push({ title, body: options?.body ?? '', click: () => this.dispatchEvent(new Event('click')) });
      }
    }
    Object.assign(globalThis, { Notification: Recorded, shown });
  });
  const window = await openTerminal(world, { context: browser.context });
  const shown = () =>
    window.evaluate(() =>
      (globalThis as unknown as { shown: Shown[] }).shown.map(({ title, body }) => [title, body]),
    );
  await newTerminal(window);
  const names = (await tabsOf(window)).map((name) => name.replace(/[[\]]/g, ''));
  await typeUnseen(names[0] ?? '', says('seen on the tab'));
  await marked(window, 0).toBe('asks');
  await window.keyboard.press('Alt+Shift+Comma');
  await window.getByRole('checkbox', { name: 'Notify me while this page is hidden' }).check();
  await window.keyboard.press('Escape');
  expect(await shown(), 'the page is visible').toEqual([]);

  await browser.hide(window);
  await typeUnseen(names[1] ?? '', says('May I?'));
  await expect.poll(shown, { timeout: 15_000 }).toEqual([[`${names[1]} wants an answer`, 'May I?']]);
  await typeUnseen(names[0] ?? '', says('And I?'));
  await expect.poll(shown, { timeout: 15_000 }).toHaveLength(2);
  await expect.poll(() => window.title()).toMatch(/^\(2\) /);
  await window.evaluate(() => (globalThis as unknown as { shown: Shown[] }).shown[1]?.click());
  await expect.poll(() => tabsOf(window)).toEqual([`[${names[0]}]`, names[1]]);
  await window.bringToFront();
  await expect.poll(() => window.title()).toMatch(/^\(1\) /);

  await window.keyboard.press('Alt+Shift+S');
  await window.getByRole('button', { name: `Mute ${names[0]}` }).click();
  await window.keyboard.press('Escape');
  await browser.hide(window);
  await typeUnseen(names[0] ?? '', says('muted'));
  await typeUnseen(names[1] ?? '', says('not muted'));
  await expect.poll(shown, { timeout: 15_000 }).toHaveLength(3);
  expect((await shown()).at(-1)).toEqual([`${names[1]} wants an answer`, 'not muted']);
  await endSessions(world);
});

/** Makes the page believe that nobody has seen it for a while. */
async function wasAway(where: Page, minutes: number): Promise<void> {
  const address = where.url();
  await where.goto(new URL('/.well-known/security.txt', world.relay.url).href);
  await where.evaluate(
    ([key, ms]) =>
      localStorage.setItem(
        `holdfast/seen/${key}`,
        JSON.stringify(new Date(Date.now() - Number(ms)).toISOString()),
      ),
    [world.relay.workspace, minutes * 60_000],
  );
  await where.goto(address);
  await terminalOf(where).prompts();
}

describe('a page with terminals', () => {
  opensTerminals(() => world);

  it('[A4] a tab in the background that asks is marked, first in the list, and cleared by looking', async () => {
    await newTerminal(page);
    await typeUnseen('Terminal 1', says('May I?'));
    await marked(page, 0).toBe('asks');
    await expect
      .poll(() => tab(page, 0).getAttribute('aria-description'))
      .toMatch(/Asks since \d\d:\d\d: May I\?$/);
    expect(await tab(page, 0).getAttribute('title')).toMatch(/\nAsks since \d\d:\d\d: May I\?$/);
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    expect(await barriersOf(page)).toEqual([]);

    await page.keyboard.press('Alt+Shift+S');
    const first = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').first();
    await expect.poll(() => first.textContent()).toMatch(/Terminal 1Asks since \d\d:\d\d: May I\?/);
    await page.keyboard.press('Escape');

    await tab(page, 0).click();
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
    await tab(page, 1).click();
    await marked(page, 0).not.toBe('asks');
  });

  it('[A4] a program that waits is marked as a guess, and one that has ended says how', async () => {
    await newTerminal(page);
    await typeUnseen('Terminal 1', `sh -c 'printf "Go on? "; read answer; exit 3'\n`);
    await expect
      .poll(() => tab(page, 0).getAttribute('aria-description'), { timeout: 15_000 })
      .toMatch(/Seems to ask since \d\d:\d\d: sh -c waits for input$/);
    await typeUnseen('Terminal 1', 'y\nexit 3\n');
    await marked(page, 0).toBe('failed');
    await expect.poll(() => tab(page, 0).getAttribute('aria-description')).toMatch(/Ended with exit code 3$/);
    await tab(page, 0).click();
    await tab(page, 1).click();
    await marked(page, 0).toBe('exited');
  });

  it('[A6] after an absence, it is told what happened, with a way to what failed', async () => {
    await terminalOf(page).types('ls /nowhere-at-all\n');
    await terminalOf(page).shows(/No such file/);
    await terminalOf(page).types('seq 400\n');
    await terminalOf(page).shows(/^400$/m);
    const card = page.getByRole('region', { name: 'While you were away' });
    await wasAway(page, 4);
    await newTerminal(page);
    expect(await card.count(), 'too short to be away').toBe(0);

    await wasAway(page, 6);
    await card.waitFor();
    await expect.poll(() => card.textContent()).toMatch(/2 commands finished, 1 failed · [\d.]+ KB printed/);
    expect(await barriersOf(page)).toEqual([]);
    await card.getByRole('button', { name: 'ls /nowhere-at-all' }).click();
    await expect.poll(() => tabsOf(page)).toEqual(['[Terminal 1]', 'Terminal 2']);
    await terminalOf(page).shows(/No such file/);
    await card.getByRole('button', { name: 'Dismiss' }).click();
    expect(await card.count()).toBe(0);
  });
});
