/** What a user sees in a real browser after reloads, closed windows and restarts. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import { endSessions, newTerminal, openTerminal } from '../support/page-story.ts';
import { familyOf } from '../support/process-table.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(() => endSessions(world));

describe('a reload', () => {
  it('[P23] [F1] restores both tabs, with their running programs and their screens', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('echo first-$((1+1)); sleep 300\n');
    await terminal.shows(/^first-2$/m);
    await newTerminal(page);
    await terminal.types('watch -n 0.2 date +%s%N\n');
    await terminal.shows(/Every 0\.2s/);
    const sleeping = () =>
      familyOf(world.agent.pid)
        .filter(({ name }) => name === 'sleep')
        .map(({ pid }) => pid);
    await expect.poll(sleeping).toHaveLength(1);
    const before = sleeping();

    await page.reload();
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');
    await terminal.shows(/Every 0\.2s/);
    const first = await terminal.screen();
    await expect.poll(() => terminal.screen()).not.toBe(first);
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await terminal.shows(/^first-2$/m);
    expect(sleeping()).toEqual(before);
    await page.context().close();
  });

  it('[P21] shows the screen and then the history above it, and never an empty terminal in between', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('seq 1 3000; echo end-$((1+1))\n');
    await terminal.shows(/^end-2$/m);
    // Checks every painted frame, from the first with the screen on it until the history has arrived.
    await page.addInitScript(() => {
      const frames: string[] = [];
      Object.assign(globalThis, { frames });
      const look = () => {
        const rows = document.querySelectorAll('[role=tabpanel]:not([hidden]) .xterm-rows > div');
        frames.push([...rows].map((row) => row.textContent ?? '').join('\n'));
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.reload();
    await terminal.shows(/^end-2$/m);
    // It has arrived when one can scroll up into it.
    await expect
      .poll(async () => {
        await page.keyboard.press('Shift+PageUp');
        return terminal.screen();
      })
      .not.toMatch(/^end-2$/m);
    const frames = await page.evaluate(() => (globalThis as unknown as { frames: string[] }).frames);
    const shown = frames.slice(frames.findIndex((frame) => frame.includes('end-2')));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.filter((frame) => frame.trim() === '')).toEqual([]);
    await page.context().close();
  });

  it('restores the scroll position, and the names and order of the tabs', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('clear; seq 1 500\n');
    await terminal.shows(/^500$/m);
    for (let turn = 0; turn < 3; turn++) await page.keyboard.press('Shift+PageUp');
    await terminal.shows(/^380$/m);
    const shown = await terminal.screen();
    await newTerminal(page);
    await page.keyboard.press('Alt+Shift+PageUp');
    await page.keyboard.press('Alt+Shift+R');
    await page.getByLabel('Name of the terminal').fill('Build');
    await page.keyboard.press('Enter');
    await expectTabs(page, '[Build]', 'Terminal 1');
    await page.reload();
    await expectTabs(page, '[Build]', 'Terminal 1');
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await expect.poll(() => terminal.screen()).toBe(shown);
    await page.context().close();
  });
});

describe('a window that is closed', () => {
  it('[P25] leaves its sessions running; another browser finds the same tabs, names and order', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('echo kept-$((1+1))\n');
    await terminal.shows(/^kept-2$/m);
    await newTerminal(page);
    await page.keyboard.press('Alt+Shift+PageUp');
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await expectTabs(page, 'Terminal 2', '[Terminal 1]');
    // As a user closes it: the page saves its tabs when it is told that it is left.
    const closed = page.waitForEvent('close');
    await page.close({ runBeforeUnload: true });
    await closed;
    await page.context().close();
    await expect.poll(async () => (await world.health()).sessions).toMatchObject({ running: 2, orphaned: 2 });

    const other = await openTerminal(world);
    await expectTabs(other, 'Terminal 2', '[Terminal 1]');
    await terminalOf(other).shows(/^kept-2$/m);
    await other.context().close();
  });
});

describe('an agent that restarts', () => {
  it('[P26] restores the tabs with their names and order, and new shells in them', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('OLD=old; echo before-$((1+1))\n');
    await newTerminal(page);
    await page.getByRole('tab', { name: 'Terminal 2' }).dblclick();
    await page.getByLabel('Name of the terminal').fill('Logs');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await world.crashAgent();
    await page
      .getByText('“Terminal 1” is a new shell; the old one and its programs have ended.')
      .first()
      .waitFor();
    await expectTabs(page, '[Terminal 1]', 'Logs');
    await terminal.types('echo "<$OLD>"\n');
    await terminal.shows(/^<>$/m);
    await page.getByRole('tab', { name: 'Logs' }).click();
    await terminal.types('echo logs-$((1+1))\n');
    await terminal.shows(/^logs-2$/m);
    await page.context().close();
  });
});
