/** The menu of a tab, the command palette, and terminals side by side. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import { barriersOf, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { open, opensWorld, rename, tab, world } from './own-page.ts';

opensWorld();

/** Chooses from the menu of a tab. */
async function choose(page: Page, name: string, item: string): Promise<void> {
  await tab(page, name).click({ button: 'right' });
  await page
    .getByRole('menuitem')
    .filter({ has: page.getByText(item, { exact: true }) })
    .click();
}

/** How often the find bar finds a pattern. */
async function found(page: Page, pattern: string): Promise<string | null> {
  await page.keyboard.press('Control+Shift+F');
  await page.getByRole('button', { name: 'Regular expression' }).click();
  await page.locator('.find-bar .field').fill(pattern);
  const count = page.locator('.find-count');
  await expect.poll(() => count.textContent()).not.toBe('');
  const text = await count.textContent();
  await page.keyboard.press('Escape');
  return text;
}

const palette = (page: Page): Locator => page.getByRole('combobox', { name: 'Command or terminal' });

describe('the menu of a tab', () => {
  it('[U40] opens by right click and by keyboard, and duplicates, moves, clears and closes', async () => {
    const page = await open();
    const terminal = terminalOf(page);
    await terminal.types('cd /usr/lib && seq 200\n');
    await terminal.shows(/^200$/m);
    await choose(page, 'Terminal 1', 'Duplicate');
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');
    await terminal.types('pwd\n');
    await terminal.shows(/^\/usr\/lib$/m);

    await page.keyboard.press('Alt+Shift+ArrowUp');
    await page.keyboard.press('Shift+F10');
    const menu = page.getByRole('menu', { name: 'Actions for Terminal 2' });
    await menu.waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(await menu.getByRole('menuitem', { name: /^Move right/ }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ContextMenu');
    await menu.waitFor();
    await page.keyboard.press('Enter');
    await rename(page, 'Copy');
    await expectTabs(page, 'Terminal 1', '[Copy]');
    await choose(page, 'Copy', 'Move left');
    await expectTabs(page, '[Copy]', 'Terminal 1');

    // The lines above the screen are gone here, the screen is not.
    await tab(page, 'Terminal 1').click();
    await terminal.shows(/^200$/m);
    expect(await found(page, '^150$')).toBe('1 of 1');
    await choose(page, 'Terminal 1', 'Clear scrollback in this window');
    await terminal.shows(/^200$/m);
    expect(await found(page, '^150$')).toBe('No match');

    await choose(page, 'Terminal 1', 'Close others');
    await expectTabs(page, '[Terminal 1]');
    await choose(page, 'Terminal 1', 'Reopen closed terminal');
    await expectTabs(page, '[Copy]', 'Terminal 1');
    await terminal.shows(/^\/usr\/lib$/m);
  });
});

describe('the command palette', () => {
  it('[U41] runs commands by a few letters, goes to terminals, and shows what was used last first', async () => {
    const page = await open();
    const terminal = terminalOf(page);
    const { client } = await world.client();
    await client.create({ cols: 80, rows: 24, name: 'Elsewhere', command: '/bin/sh' });
    await page.keyboard.press('Control+Shift+P');
    await palette(page).waitFor();
    await page.getByRole('option', { name: 'Open terminal Elsewhere' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await terminal.types('echo focus-$((1+1))\n');
    await terminal.shows(/^focus-2$/m);

    await page.keyboard.press('Alt+Shift+P');
    await palette(page).fill('dupl');
    await page.keyboard.press('Enter');
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');
    await page.keyboard.press('Alt+Shift+P');
    const first = page.getByRole('option').first();
    await expect.poll(() => first.textContent()).toBe('Duplicate terminal');
    expect(await first.getAttribute('aria-selected')).toBe('true');
    await palette(page).fill('elsewhere');
    await page.keyboard.press('Enter');
    await expectTabs(page, 'Terminal 1', 'Terminal 2', '[Elsewhere]');
    await page.keyboard.press('Alt+Shift+P');
    await palette(page).fill('terminal 1');
    await page.keyboard.press('Enter');
    await expectTabs(page, '[Terminal 1]', 'Terminal 2', 'Elsewhere');

    // What cannot be done says why, and does nothing.
    await page.keyboard.press('Alt+Shift+P');
    await palette(page).fill('move tab left');
    await page.getByRole('option', { name: 'Move tab left it is the first' }).waitFor();
    await page.keyboard.press('Enter');
    await palette(page).waitFor();
    await page.keyboard.press('Escape');
    await expectTabs(page, '[Terminal 1]', 'Terminal 2', 'Elsewhere');
  });
});

/** The terminal of one pane. */
const pane = (page: Page, name: string): Locator => page.getByRole('tabpanel', { name, exact: true });
const shows = (page: Page, name: string, text: RegExp) =>
  expect
    .poll(async () => (await pane(page, name).locator('.xterm-rows > div').allTextContents()).join('\n'))
    .toMatch(text);

/** Types into the pane that has the keyboard, once it has a prompt. */
async function typesIn(page: Page, name: string, line: string): Promise<void> {
  await shows(page, name, /[#$]\s*$/);
  await expect
    .poll(() => pane(page, name).evaluate((panel) => panel.contains(document.activeElement)))
    .toBe(true);
  await page.keyboard.insertText(line);
  await page.keyboard.press('Enter');
}

/** How many columns the sessions have, by name. */
async function columns(): Promise<Record<string, number>> {
  using other = await world.client();
  await other.client.refresh();
  return Object.fromEntries((await other.client.list()).map(({ name, cols }) => [name, cols]));
}

/** The most windows that show one session. */
async function viewers(): Promise<number> {
  using other = await world.client();
  return Math.max(...(await other.client.list()).map(({ attached }) => attached));
}

describe('panes', () => {
  it('[U42] share a tab, take input, are resized by keys and mouse, zoomed, restored, and the same on a phone', async () => {
    const page = await open();
    await typesIn(page, 'Terminal 1', 'cd /usr/lib; echo left-$((1+1))');
    await shows(page, 'Terminal 1', /left-2/);
    const whole = (await columns())['Terminal 1'] ?? 0;
    await page.keyboard.press('Alt+Shift+D');
    await expectTabs(page, '[Terminal 2]');
    await typesIn(page, 'Terminal 2', 'pwd; echo right-$((1+1))');
    await shows(page, 'Terminal 2', /\/usr\/lib.*right-2/s);
    await expect
      .poll(async () => Object.values(await columns()).every((cols) => cols < whole / 2 + 2))
      .toBe(true);
    expect(await tab(page, 'Terminal 2').getAttribute('aria-description')).toBe('2 panes');
    await pane(page, 'Terminal 1').click();
    await expectTabs(page, '[Terminal 1]');
    await typesIn(page, 'Terminal 1', 'echo both-$((1+1))');
    await shows(page, 'Terminal 1', /both-2/);
    expect(await page.getByRole('tabpanel').count()).toBe(2);

    // The divider, by keyboard and mouse. A program is told its new size.
    const divider = page.getByRole('separator', { name: 'Divider between Terminal 1 and Terminal 2' });
    await page.keyboard.press('Alt+Shift+L');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('ArrowRight');
    expect(await divider.getAttribute('aria-valuenow')).toBe('62');
    await expect.poll(async () => ((await columns())['Terminal 1'] ?? 0) / whole).toBeGreaterThan(0.58);
    await page.keyboard.press('Enter');
    await typesIn(page, 'Terminal 1', 'echo back-$((1+1))');
    await shows(page, 'Terminal 1', /back-2/);
    const box = await divider.boundingBox();
    const y = (box?.y ?? 0) + 100;
    await page.mouse.move((box?.x ?? 0) + 4, y);
    await page.mouse.down();
    await page.mouse.move((page.viewportSize()?.width ?? 0) * 0.4, y);
    await page.mouse.up();
    expect(Number(await divider.getAttribute('aria-valuenow'))).toBe(40);

    await page.keyboard.press('Alt+Shift+J');
    await page.keyboard.press('Alt+Shift+E');
    await typesIn(page, 'Terminal 3', 'echo third-$((1+1))');
    expect(await page.getByRole('tabpanel').count()).toBe(3);
    expect(await barriersOf(page)).toEqual([]);

    await page.keyboard.press('Alt+Shift+X');
    await expect.poll(() => page.getByRole('tabpanel').count()).toBe(1);
    await expect.poll(async () => (await columns())['Terminal 3']).toBe(whole);
    const panes = page.getByRole('toolbar', { name: 'Panes' });
    await panes.getByRole('button', { name: 'Terminal 1' }).click();
    await shows(page, 'Terminal 1', /both-2/);
    await panes.getByRole('button', { name: 'Show all panes' }).click();
    await expect.poll(() => page.getByRole('tabpanel').count()).toBe(3);

    await page.reload();
    await shows(page, 'Terminal 1', /both-2/);
    await shows(page, 'Terminal 3', /third-2/);
    const dividers = page.getByRole('separator');
    const values = () => dividers.evaluateAll((all) => all.map((one) => one.ariaValueNow));
    expect(await values()).toEqual(['40', '50']);

    const phone = await onPhone();
    await expectTabs(phone, '[Terminal 1]');
    expect(await phone.getByRole('tabpanel').count()).toBe(1);
    await phone.getByRole('button', { name: 'Terminal 3' }).tap();
    await shows(phone, 'Terminal 3', /third-2/);
    await longPress(phone, tab(phone, 'Terminal 3'));
    await phone.getByRole('menuitem', { name: 'Split right' }).waitFor();
    await phone.keyboard.press('Escape');
    await phone.getByRole('button', { name: 'Terminal actions' }).tap();
    await phone.getByRole('menuitem', { name: 'Command palette' }).tap();
    await palette(phone).fill('close term');
    await phone.getByRole('option', { name: 'Close terminal', exact: true }).tap();
    // The other window shows it too.
    await phone.getByRole('button', { name: 'End terminal' }).tap();
    await shows(phone, 'Terminal 2', /right-2/);
    await phone.getByRole('button', { name: 'Undo' }).tap();
    await shows(phone, 'Terminal 3', /third-2/);
    await phone.context().close();
    await expect.poll(viewers).toBe(1);

    // Its neighbour gets the room of a closed pane.
    await pane(page, 'Terminal 1').click();
    await page.keyboard.press('Alt+Shift+W');
    await expect.poll(values).toEqual(['50']);
    await choose(page, 'Terminal 2', 'Close all panes of the tab');
    await page.getByText('Closed 2 terminals.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(values).toEqual(['50']);
  });
});

async function onPhone(): Promise<Page> {
  const context = await world.browserContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  return openTerminal(world, { context });
}

/** Keeps a finger on an element until something opens. */
async function longPress(page: Page, element: Locator): Promise<void> {
  const box = await element.boundingBox();
  const at = { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
  const browser = await page.context().newCDPSession(page);
  await browser.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
  await page.getByRole('menu').waitFor();
  await browser.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await browser.detach();
}
