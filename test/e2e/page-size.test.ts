/** The size of a terminal that two windows show, and the keyboard focus after a click. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { complaintsOf, endSessions, forget, openPage, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

let desk: Page;
beforeEach(async () => {
  const context = desk?.context() ?? (await world.browserContext(DESK));
  desk = await openTerminal(world, { context, page: desk });
  const complaints = complaintsOf(desk);
  return async () => {
    await forget(desk, world);
    await endSessions(world);
    // Last: a complaint about this test must not leave its page to the next.
    expect(complaints).toEqual([]);
  };
});

/** The output of `stty size`, on its own line. */
async function sizeIn(page: Page, mark: string): Promise<string> {
  await terminalOf(page).types(`clear; echo ${mark}=$(stty size)\n`);
  const line = new RegExp(`^${mark}=(\\d+ \\d+)$`, 'm');
  await terminalOf(page).shows(line);
  return line.exec(await terminalOf(page).screen())?.[1] ?? '';
}

async function phoneTakesOver(): Promise<Page> {
  const phone = await openPage(world, { context: await world.browserContext(PHONE) });
  await terminalOf(phone).prompts();
  await terminalOf(phone).types('echo phone-$((1+1))\n');
  await terminalOf(desk).shows(/^phone-2$/m);
  await terminalOf(desk).prompts();
  await desk.getByText(/Sized for another window: \d+ × \d+/).waitFor();
  return phone;
}

const hasKeyboard = () =>
  desk.evaluate(() => document.activeElement?.classList.contains('xterm-helper-textarea'));

describe('a phone that took over the size', () => {
  it('[U2] releases it when its page is closed, without a key press on the desktop', async () => {
    const before = await sizeIn(desk, 'before');
    const phone = await phoneTakesOver();
    await phone.context().close();
    await desk.getByText(/Sized for another window/).waitFor({ state: 'hidden' });
    expect(await desk.locator('.terminal-host[data-letterbox]').count()).toBe(0);
    expect(await sizeIn(desk, 'after')).toBe(before);
  });
});

describe('the keyboard focus', () => {
  it('[U2] goes to the terminal after a click beside a letterboxed one, and a space scrolls nothing', async () => {
    const phone = await phoneTakesOver();
    const terminal = terminalOf(desk);
    const box = await desk.locator('.terminal-host:visible').boundingBox();
    if (box === null) throw new Error('there is no terminal');
    // At the right edge: the phone's terminal is narrower than this window.
    await desk.mouse.click(box.x + box.width - 20, box.y + box.height / 2);
    expect(await hasKeyboard()).toBe(true);
    await desk.keyboard.type('echo  a  b   | tr -d " "\r');
    await terminal.shows(/^ab$/m);
    expect(await desk.evaluate(() => scrollY)).toBe(0);
    expect(await desk.locator('.terminal-host:visible').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    await phone.context().close();
  });

  it('[U2] goes to the terminal after a click on anything without an action', async () => {
    for (const selector of ['.panel:not([hidden])', '.status-line', '.status-text', '.header .logo']) {
      await desk.getByRole('tab').focus();
      expect(await hasKeyboard()).toBe(false);
      await desk.locator(selector).click({ position: { x: 2, y: 2 } });
      expect(await hasKeyboard(), selector).toBe(true);
    }
  });

  it('[U2] goes to the terminal with the first key if nothing has it', async () => {
    const blur = () => desk.evaluate(() => (document.activeElement as HTMLElement).blur());
    await blur();
    await desk.keyboard.type(' echo lost-$((1+1))');
    await terminalOf(desk).shows(/[#$] {2}echo lost-\$\(\(1\+1\)\)$/m);
    await blur();
    await desk.keyboard.press('Enter');
    await terminalOf(desk).shows(/^lost-2$/m);
  });
});
