/** A workspace that is continued on another device: a QR code on the page, read and opened by a phone. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { qrModules } from '../../client/qr/qr-code.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { barriersOf, endSessions, openTerminal } from '../support/page-story.ts';
import { readQrOnScreen } from '../support/qr-on-screen.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const BUTTON = 'Continue on another device';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(() => endSessions(world));

const dialogOf = (page: Page) => page.getByRole('dialog', { name: BUTTON });
const codeOn = (page: Page) => dialogOf(page).getByRole('img', { name: 'QR code of a link' });

/** A terminal on a desk, with the dialog open. */
async function openDialog(role?: ClientRole, context?: BrowserContext): Promise<Page> {
  const page = await openTerminal(world, {
    ...(role === undefined ? {} : { role }),
    ...(context === undefined ? {} : { context }),
  });
  await page.getByRole('button', { name: BUTTON }).click();
  await dialogOf(page).waitFor();
  return page;
}

/** The link in the code that is shown, as a phone's camera reads it. */
async function scan(page: Page): Promise<string> {
  await codeOn(page).waitFor();
  const link = await readQrOnScreen(dialogOf(page));
  expect(link).toMatch(new RegExp(`^${world.pageUrl}#code=[\\w.!-]{60,}$`));
  return link ?? '';
}

/** The link in the code that follows, once it is shown. */
async function scanAnother(page: Page, link: string): Promise<string> {
  const read = () => readQrOnScreen(dialogOf(page));
  await expect.poll(async () => ![link, null].includes(await read())).toBe(true);
  return scan(page);
}

async function openOnPhone(link: string): Promise<Page> {
  const page = await (await world.browserContext(PHONE)).newPage();
  await page.goto(readable(link));
  return page;
}

describe('a workspace is continued on another device', () => {
  it('[J5] with the QR code on the page, which a phone reads, and types', async () => {
    const desk = await openTerminal(world);
    await terminalOf(desk).types('echo de""sk\n');
    await terminalOf(desk).shows(/^desk$/m);
    await desk.getByRole('button', { name: BUTTON }).click();
    await dialogOf(desk)
      .getByText(/within a minute, has the access that you have here\. As an operator/)
      .waitFor();
    const link = await scan(desk);
    expect(await barriersOf(desk)).toEqual([]);

    const phone = await openOnPhone(link);
    await terminalOf(phone).shows(/^desk$/m);
    expect(phone.url(), 'the code does not stay in the address').toBe(readable(world.pageUrl));
    await terminalOf(phone).types('echo pho""ne\n');
    await terminalOf(desk).shows(/^desk$[\s\S]*^phone$/m);
    // The phone has a login of its own, which can be renewed.
    await phone.context().clearCookies();
    await phone.reload();
    await terminalOf(phone).shows(/^phone$/m);
    await phone.context().close();

    const late = await openOnPhone(link);
    await late.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await late.getByText(/This code has been used\. Choose “New code” on the device/).waitFor();
    await dialogOf(desk).getByRole('button', { name: 'New code' }).click();
    const next = await scanAnother(desk, link);
    // Pasted where the first link did not work, by somebody who cannot scan.
    await late.getByLabel('Link to this workspace').fill(next);
    await late.keyboard.press('Enter');
    await terminalOf(late).shows(/^phone$/m);
    await late.context().close();
    await desk.context().close();
  });

  it('[J5] by a viewer, who can only let another viewer in', async () => {
    const first = await openTerminal(world);
    await terminalOf(first).types('echo se""en\n');
    await terminalOf(first).shows(/^seen$/m);
    const desk = await openDialog('viewer');
    await dialogOf(desk)
      .getByText(/As a viewer, they see every terminal of this workspace and cannot type\./)
      .waitFor();
    const phone = await openOnPhone(await scan(desk));
    await terminalOf(phone).shows(/^seen$/m);
    await phone.getByText('View only').waitFor();
    for (const page of [phone, desk, first]) await page.context().close();
  });

  it('[J5] with the link that a button copies', async () => {
    const context = await world.browserContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const desk = await openDialog('operator', context);
    const link = await scan(desk);
    await dialogOf(desk).getByRole('button', { name: 'Copy link' }).click();
    await dialogOf(desk).getByRole('button', { name: 'Link copied' }).waitFor();
    expect(await desk.evaluate(() => navigator.clipboard.readText())).toBe(link);

    // Some browsers are told not to let pages copy.
    await desk.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));
    });
    await dialogOf(desk).getByRole('button', { name: 'New code' }).click();
    const next = await scanAnother(desk, link);
    await dialogOf(desk).getByRole('button', { name: 'Copy link' }).click();
    await dialogOf(desk).getByText('Copy the link yourself:').waitFor();
    await dialogOf(desk).getByText(next, { exact: true }).waitFor();
    await context.close();
  });
});

describe('the code', () => {
  it('[J5] is taken off the screen when its minute is over, and another can be made', async () => {
    const context = await world.browserContext();
    const page = await openTerminal(world, { context });
    await page.clock.install();
    await page.getByRole('button', { name: BUTTON }).click();
    await codeOn(page).waitFor();
    await dialogOf(page)
      .getByText(/Works once · \d+ s left/)
      .waitFor();
    await page.clock.fastForward(60_000);
    await dialogOf(page).getByText('The time of this code is over.').first().waitFor();
    expect(await codeOn(page).count()).toBe(0);
    expect(await dialogOf(page).getByRole('button', { name: 'Copy link' }).isDisabled()).toBe(true);
    expect(await barriersOf(page)).toEqual([]);
    await dialogOf(page).getByRole('button', { name: 'New code' }).click();
    await codeOn(page).waitFor();
    await context.close();
  });

  it.each(['dark', 'light'] as const)(
    '[J5] is dark on light and readable in the theme %s',
    async (colorScheme) => {
      const context = await world.browserContext({ colorScheme });
      const page = await openDialog('operator', context);
      const side = qrModules(await scan(page)).length + 8;
      const box = `-4 -4 ${side} ${side}`;
      expect(await codeOn(page).getAttribute('viewBox'), 'four light modules around it').toBe(box);
      await page.setViewportSize(PHONE.viewport);
      await scan(page);
      expect(await barriersOf(page)).toEqual([]);
      await context.close();
    },
  );
});

describe('the dialog', () => {
  it('[J5] says why there is no code if the browser has not kept the key of the login', async () => {
    const page = await openTerminal(world);
    await page.evaluate(
      () =>
        new Promise((resolve) => {
          indexedDB.deleteDatabase('holdfast').onsuccess = resolve;
        }),
    );
    await page.getByRole('button', { name: BUTTON }).click();
    await dialogOf(page)
      .getByText(/This browser has not kept the key of your login/)
      .waitFor();
    expect(await codeOn(page).count()).toBe(0);
    expect(await dialogOf(page).getByRole('button', { name: 'New code' }).count()).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await page.context().close();
  });

  it('[J5] says why there is no code if the relay cannot be reached, and tries again', async () => {
    const page = await openTerminal(world);
    await page.route('**/login/challenge', (route) => route.abort());
    await page.getByRole('button', { name: BUTTON }).click();
    await dialogOf(page).getByText('There is no code: The relay cannot be reached.').waitFor();
    await page.unroute('**/login/challenge');
    await dialogOf(page).getByRole('button', { name: 'New code' }).click();
    await codeOn(page).waitFor();
    await page.context().close();
  });

  it('[J5] says that a phone cannot open an address of this computer', async () => {
    const page = await openDialog();
    await dialogOf(page)
      .getByText(/This page is at 127\.0\.0\.1, an address of this computer only\./)
      .waitFor();
    await page.context().close();
  });

  it('[J5] is in the menu of the terminal, works with the keyboard, and gives the focus back', async () => {
    const page = await (await world.browserContext(PHONE)).newPage();
    await page.goto(readable(`${world.pageUrl}#token=${await world.relay.token('viewer')}`));
    const first = await openTerminal(world);
    await page.getByRole('button', { name: 'Sessions' }).tap();
    await page.getByRole('button', { name: 'Open Terminal 1' }).tap();
    await page.getByRole('button', { name: 'Terminal actions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: BUTTON }).focus();
    await page.keyboard.press('Enter');
    await codeOn(page).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Close');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Copy link');
    await page.keyboard.press('Escape');
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('xterm-helper-textarea');
    for (const each of [page, first]) await each.context().close();
  });
});
