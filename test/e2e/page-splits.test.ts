/** The menu of a tab, the command palette, and terminals side by side. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import { barriersOf } from '../support/page-story.ts';
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
    await choose(page, 'Terminal 1', 'Clear scrollback in this window');
    await page.keyboard.press('Shift+PageUp');
    await terminal.shows(/^200$/m);
    expect(await terminal.screen()).not.toMatch(/^100$/m);

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
