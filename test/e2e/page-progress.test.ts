/** The progress that programs report is on their tabs, in the title and in the icon, wherever the page is opened. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newTerminal, openPage } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

opensTerminals(() => world);

/** A program that reports, and runs until it reads a line. */
const works = (report: string) => `sh -c 'printf "\\033]9;4;${report}\\007working\\n"; read line'\n`;

const told = (where: Page, text: string) =>
  where.locator(`[role=progressbar][aria-valuetext="${text}"]`).waitFor({ state: 'attached' });
const untold = (where: Page) => where.locator('[role=progressbar]').waitFor({ state: 'detached' });
const icon = (where: Page) =>
  where.locator('#holdfast-icon').evaluate((link) => (link as HTMLLinkElement).href);

it('[T4] progress is on the tab, in the title and in the icon, after a reload and on a second device', async () => {
  const own = await icon(page);
  await terminalOf(page).types(works('1;42'));
  await told(page, '42 % done');
  await expect.poll(() => page.title()).toMatch(/^42 % · /);
  await expect.poll(() => icon(page)).toMatch(/^data:image\/svg\+xml,/);

  await page.reload();
  await told(page, '42 % done');
  await expect.poll(() => page.title()).toMatch(/^42 % · /);
  const bar = page.getByRole('tab').locator('.tab-progress');
  const [filled, all] = await bar.evaluate((element) => [
    Number.parseFloat(getComputedStyle(element, '::before').width),
    element.clientWidth,
  ]);
  expect((filled ?? 0) / (all ?? 1)).toBeCloseTo(0.42, 1);
  await using second = await world.browserContext();
  await told(await openPage(world, { context: second }), '42 % done');
  const { client } = await world.client();
  expect((await client.list()).map(({ progress }) => progress)).toEqual([{ state: 'running', percent: 42 }]);
  client.leave();

  await page.keyboard.press('Enter');
  await untold(page);
  await expect.poll(() => page.title()).not.toContain('%');
  await expect.poll(() => icon(page)).toBe(own);
});

it('[T4] progress of a tab in the background is shown, and ends with an interrupted program', async () => {
  await terminalOf(page).types(works('3'));
  await told(page, 'in progress');
  await newTerminal(page);
  await told(page, 'in progress');
  await expect.poll(() => page.title()).not.toContain('…');
  await page.getByRole('tab').first().click();
  await expect.poll(() => page.title()).toMatch(/^… · /);
  await terminalOf(page).shows(/working$/m);
  await page.keyboard.press('Control+c');
  await untold(page);
});
