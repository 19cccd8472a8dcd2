/** Links for others: an operator shares one session, or all, and takes it back. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { barriersOf, endSessions, newTerminal, openTerminal, tabsOf } from '../support/page-story.ts';
import { readQrOnScreen } from '../support/qr-on-screen.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let world: World;
let context: BrowserContext;
let guests: BrowserContext;
beforeAll(async () => {
  // On Miniflare, whose objects can be put to sleep.
  world = await World.open({}, await TestRelay.start());
  context = await world.browserContext({ reducedMotion: 'reduce', colorScheme: 'dark' });
  guests = await world.browserContext({ reducedMotion: 'reduce' });
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(async () => {
  for (const page of [...context.pages(), ...guests.pages()]) await page.close();
  await guests.clearCookies();
  await endSessions(world);
});

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Share' });

async function makeLink(page: Page, chosen: readonly string[] = [], label = ''): Promise<string> {
  for (const choice of chosen) await dialogOf(page).getByText(choice, { exact: true }).click();
  await dialogOf(page).getByLabel('Label').fill(label);
  await dialogOf(page).getByRole('button', { name: 'Create link' }).click();
  await dialogOf(page).getByText('Copy the link now. It is not shown again.').waitFor();
  return (await dialogOf(page).locator('.share-link').textContent()) ?? '';
}

/** `received`: gets everything that the page's sockets receive. */
async function visit(link: string, received: string[] = []): Promise<Page> {
  const page = await guests.newPage();
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => received.push(payload.toString())),
  );
  await page.goto(readable(link));
  return page;
}

describe('an operator shares one session', () => {
  it('[SEC26] [J6] and the viewer sees it and no other, until it is revoked while the object is asleep', async () => {
    const desk = await openTerminal(world, { context });
    await terminalOf(desk).types('echo un""seen\n');
    await terminalOf(desk).shows(/^unseen$/m);
    await newTerminal(desk);
    await terminalOf(desk).types('echo sha""red\n');
    await terminalOf(desk).shows(/^shared$/m);
    await desk.getByRole('button', { name: 'Share' }).click();
    await dialogOf(desk)
      .getByText(/sees this session and what it has printed before\. They cannot type, and see no other/)
      .waitFor();
    await dialogOf(desk).getByText('This session: Terminal 2').waitFor();
    expect(await barriersOf(desk)).toEqual([]);
    const link = await makeLink(desk, [], 'Ann');
    expect(await readQrOnScreen(dialogOf(desk))).toBe(link);
    expect(await barriersOf(desk)).toEqual([]);

    const received: string[] = [];
    const guest = await visit(link, received);
    await terminalOf(guest).shows(/^shared$/m);
    expect(guest.url(), 'the code does not stay in the address').not.toContain('share=');
    expect(await tabsOf(guest)).toEqual(['[Terminal 2]']);
    await guest.getByText('View only').waitFor();
    for (const name of ['New terminal', 'Share', 'Continue on another device', /^Close/])
      expect(await guest.getByRole('button', { name }).count(), String(name)).toBe(0);
    await guest.getByRole('button', { name: 'Sessions' }).click();
    await guest.getByRole('button', { name: 'Go to Terminal 2' }).waitFor();
    expect(await guest.locator('.session').count()).toBe(1);
    expect(await barriersOf(guest)).toEqual([]);
    await guest.keyboard.press('Escape');
    await guest.reload();
    await terminalOf(guest).shows(/^shared$/m);
    expect((await guest.locator('body').textContent()) + received.join('\n')).not.toMatch(
      /unseen|Terminal 1/,
    );
    expect(received.join('\n'), 'what was looked at').toContain('Terminal 2');

    await desk.keyboard.press('Escape');
    await terminalOf(desk).types('echo la""ter\n');
    await terminalOf(guest).shows(/^later$/m);

    await world.relay.evict('hibernate');
    await desk.getByRole('button', { name: 'Share' }).click();
    await dialogOf(desk)
      .getByText(/^Terminal 2 · view only · .* · used once, last 1 min ago$/)
      .waitFor();
    await dialogOf(desk).getByRole('button', { name: 'Revoke Ann' }).click();
    await dialogOf(desk).getByRole('button', { name: 'Revoke', exact: true }).click();
    await dialogOf(desk).getByText('There are no links.').waitFor();
    await guest.getByText('Your login has ended.').waitFor({ timeout: 5_000 });
    await guest.reload();
    await guest.getByLabel('Link to this workspace').waitFor();
    const again = await visit(link);
    await again.getByText(/This link is no longer valid/).waitFor();
  });

  it('[J6] with somebody who may type there, and opens, renames and ends nothing', async () => {
    const desk = await openTerminal(world, { context });
    await desk.getByRole('button', { name: 'Sessions' }).click();
    await desk.getByRole('button', { name: 'Share Terminal 1' }).click();
    await dialogOf(desk).getByText('This session: Terminal 1').waitFor();
    await dialogOf(desk).getByText('Can type', { exact: true }).click();
    await dialogOf(desk)
      .getByText(/can run anything on the machine as its user/)
      .waitFor();
    const link = await makeLink(desk, ['Can type']);
    await desk.keyboard.press('Escape');
    const guest = await visit(link);
    await terminalOf(guest).types('echo ty""ped\n');
    await terminalOf(desk).shows(/^typed$/m);
    for (const name of ['New terminal', 'Share', /^Close/])
      expect(await guest.getByRole('button', { name }).count(), String(name)).toBe(0);
    await guest.getByRole('button', { name: 'Terminal actions' }).click();
    await guest.getByRole('menuitem', { name: 'Paste' }).waitFor();
    for (const name of ['Rename', 'Close terminal', 'New terminal here', 'Share…'])
      expect(await guest.getByRole('menuitem', { name }).count(), name).toBe(0);
  });
});

describe('an operator shares all sessions', () => {
  it('[J6] from the menu on a phone, with the keyboard, and whoever opens it sees all of them', async () => {
    const first = await openTerminal(world, { context });
    await newTerminal(first);
    const phone = await (await world.browserContext(PHONE)).newPage();
    await phone.goto(readable(`${world.pageUrl}#token=${await world.relay.token('operator')}`));
    await terminalOf(phone).prompts();
    await phone.getByRole('button', { name: 'Terminal actions' }).tap();
    await phone.getByRole('menuitem', { name: 'Share…' }).focus();
    await phone.keyboard.press('Enter');
    await dialogOf(phone).waitFor();
    expect(await barriersOf(phone)).toEqual([]);
    const link = await makeLink(phone, ['All sessions of this workspace']);
    expect(await barriersOf(phone)).toEqual([]);
    const guest = await visit(link);
    await terminalOf(guest).prompts();
    expect(await tabsOf(guest)).toHaveLength(2);
    await guest.getByText('View only').waitFor();
    expect(await guest.getByRole('button', { name: 'Share' }).count()).toBe(0);
    await phone.context().close();
  });
});
