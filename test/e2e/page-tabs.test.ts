/** Tabs, and the sessions panel. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { AttachedSession } from '../../client/attached-session.ts';
import { expectTabs } from '../support/expect-tabs.ts';
import { barriersOf, newTerminal, openTerminal, tabsOf, untilRuns } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { typeInto } from '../support/type-into.ts';
import { open, opensWorld, rename, tab, world } from './own-page.ts';

opensWorld();

/** Another client's connection to a session of the page. */
async function sessionOf(name: string): Promise<AttachedSession> {
  const other = await world.client();
  const info = (await other.client.list()).find((session) => session.name === name);
  return other.attach(info?.id ?? '').session;
}

/** Without the badge that says who else is here. */
const labelOf = (button: Locator) => button.locator('.tab-name').textContent();

describe('the label of a tab', () => {
  it('[U12] [AG13] is the title or the program, in background tabs too; the name of the session does not change', async () => {
    const page = await open();
    const terminal = terminalOf(page);
    const first = tab(page, 'Terminal 1');
    await terminal.types('sleep 600\n');
    await expect.poll(() => labelOf(first)).toBe('sleep');
    expect(await first.getAttribute('aria-description')).toBe('sleep');
    await expect.poll(() => page.title()).toMatch(/^sleep · /);
    await page.keyboard.press('Control+c');
    await expect.poll(() => labelOf(first)).toBe('Terminal 1');
    await expect.poll(() => page.title()).toMatch(/^Terminal 1 · /);

    // A program that sets a title, prints later, and leaves its title behind.
    await terminal.types('sh -c \'printf "\\033]2;deploying\\007"; cat; :\'\n');
    await expect.poll(() => labelOf(first)).toBe('deploying');
    expect(await first.getAttribute('aria-description')).toBe('deploying');
    await newTerminal(page);
    await expect.poll(() => labelOf(tab(page, 'Terminal 2'))).toBe('Terminal 2');
    typeInto(await sessionOf('Terminal 1'), '\x04');
    await expect.poll(() => labelOf(first)).toBe('Terminal 1');

    await page.getByRole('button', { name: 'Sessions' }).click();
    const rows = page.getByRole('list', { name: 'Sessions' });
    await rows.getByRole('heading', { name: 'Terminal 1' }).waitFor();
    expect(await rows.textContent()).not.toContain('deploying');
  });

  it('[U12] is a name that no other terminal of the workspace has', async () => {
    const page = await open();
    const context = await world.browserContext();
    const other = await openTerminal(world, { context });
    await other.getByRole('tab').first().waitFor();
    // Both start with their own terminal: neither knows the other's tabs.
    await newTerminal(other);
    await newTerminal(page);
    const { client } = await world.client();
    const names = (await client.list()).map(({ name }) => name).sort();
    expect(names).toEqual(['Terminal 1', 'Terminal 2', 'Terminal 3']);
    await context.close();
  });
});

/** The directory of a session, asked now. */
async function directoryOf(name: string): Promise<string | null | undefined> {
  using other = await world.client();
  await other.client.refresh();
  return (await other.client.list()).find((session) => session.name === name)?.cwd;
}

describe('a new terminal here', () => {
  it('[T4] starts in the directory of the active one: the one that the system knows, or that the shell reports', async () => {
    const page = await open();
    const terminal = terminalOf(page);
    await terminal.types('cd /usr/lib && echo moved-$((0+1))\n');
    await terminal.shows(/^moved-1$/m);
    await page.keyboard.press('Alt+Shift+H');
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');
    await terminal.types('pwd; printf "\\033]7;file://host/usr/share\\007"\n');
    await terminal.shows(/^\/usr\/lib$/m);
    await expect.poll(() => directoryOf('Terminal 2')).toBe('/usr/share');
    await page.getByRole('button', { name: 'Terminal actions' }).click();
    await page.getByRole('menuitem', { name: 'New terminal here' }).click();
    await expectTabs(page, 'Terminal 1', 'Terminal 2', '[Terminal 3]');
    await terminal.types('pwd; printf "\\033]7;file://host/no/such/place\\007"\n');
    await terminal.shows(/^\/usr\/share$/m);
    await expect.poll(() => directoryOf('Terminal 3')).toBe('/no/such/place');
    // A directory of another machine, for example: the page says why there is no shell, and how to get one.
    await page.keyboard.press('Alt+Shift+H');
    await expectTabs(page, 'Terminal 1', 'Terminal 2', 'Terminal 3', '[Terminal 4]');
    await page.getByRole('tabpanel').getByText('/no/such/place').waitFor();
    await page.keyboard.press('Enter');
    await terminal.types('echo again-$((0+1))\n');
    await terminal.shows(/^again-1$/m);
  });
});

describe('tabs', () => {
  it('are opened, switched, renamed and moved by keyboard and mouse, and the terminal keeps the focus', async () => {
    const page = await open();
    const terminal = terminalOf(page);
    await terminal.types('echo one-$((0+1))\n');
    await terminal.shows(/^one-1$/m);
    await page.keyboard.press('Alt+Shift+N');
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');
    await terminal.types('echo two-$((1+1))\n');
    await terminal.shows(/^two-2$/m);
    expect(await page.getByRole('tabpanel').count(), 'inactive ones are hidden').toBe(1);

    await page.keyboard.press('Alt+Shift+ArrowLeft');
    await terminal.shows(/^one-1$/m);
    await page.keyboard.press('Alt+Shift+2');
    await terminal.shows(/^two-2$/m);
    await terminal.types('echo still-$((1+1))\n');
    await terminal.shows(/^still-2$/m);

    await tab(page, 'Terminal 2').dblclick();
    const before = await terminal.screen();
    await rename(page, 'Logs');
    await expectTabs(page, 'Terminal 1', '[Logs]');
    await terminal.types('#\n');
    await terminal.shows(/# #\n#$/m);
    expect((await terminal.screen()).replace('# #\n#', '#').trim(), 'Enter is not typed').toBe(before.trim());
    await page.keyboard.press('Alt+Shift+ArrowUp');
    await page.keyboard.press('ArrowLeft');
    await expectTabs(page, '[Terminal 1]', 'Logs');
    await page.keyboard.press('F2');
    await rename(page, 'Build');
    await expectTabs(page, '[Build]', 'Logs');
    await page.keyboard.press('Alt+Shift+PageDown');
    await expectTabs(page, 'Logs', '[Build]');
    await tab(page, 'Build').dragTo(tab(page, 'Logs'));
    await expectTabs(page, '[Build]', 'Logs');
  });

  it('ask before closing if a program is running, and can be reopened within ten seconds', async () => {
    const page = await open();
    const terminal = terminalOf(page);
    await newTerminal(page);
    await terminal.types('echo here-$((1+1)); sleep 300\n');
    await terminal.shows(/^here-2$/m);
    await untilRuns(world, 'sleep');
    await page.keyboard.press('Alt+Shift+W');
    const question = page.getByRole('dialog', { name: 'Close “Terminal 2”?' });
    await question.getByText('sleep is running in it and would be ended.').waitFor();
    await page.keyboard.press('Escape');
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');

    await page.keyboard.press('Alt+Shift+W');
    await question.getByRole('button', { name: 'End terminal' }).click();
    await expectTabs(page, '[Terminal 1]');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');
    await terminal.shows(/^here-2$/m);
    await page.keyboard.press('Control+C');
    await terminal.types('echo lives-$((1+1))\n');
    await terminal.shows(/^lives-2$/m);

    // Nothing runs: no question. The middle button closes too.
    await tab(page, 'Terminal 2').click({ button: 'middle' });
    await expectTabs(page, '[Terminal 1]');
    // Although the page was closed, the agent ends the shell.
    await expect.poll(async () => (await world.health()).sessions.running).toBe(1);
  });

  it('show what happened while hidden: output, a bell, the end', async () => {
    const page = await open();
    const terminal = terminalOf(page);
    await terminal.types("read x; echo news; read x; printf '\\a'; read x; exit 3\n");
    await newTerminal(page);
    const first = tab(page, 'Terminal 1');
    const session = await sessionOf('Terminal 1');
    // The client that types here watches too.
    const marked = (how: string | null) =>
      expect
        .poll(() => first.getAttribute('aria-description'))
        .toMatch(new RegExp(`^${how === null ? '' : `${how}, `}Also here: operator`));
    typeInto(session, '\n');
    await marked('has new output');
    await first.click();
    await terminal.shows(/^news$/m);
    await marked(null);
    await tab(page, 'Terminal 2').click();
    typeInto(session, '\n');
    await marked('rings');
    await first.click();
    await page.keyboard.press('Enter');
    await page.getByText('The shell has ended (exit code 3).').waitFor();
    expect(await first.getAttribute('aria-description')).toMatch(/^has ended/);
    await page.getByRole('button', { name: 'New shell here' }).click();
    await terminal.types('echo fresh-$((1+1))\n');
    await terminal.shows(/^fresh-2$/m);
    await expectTabs(page, '[Terminal 1]', 'Terminal 2');
  });

  it('stay usable with twenty: the active one is visible, and a reload restores all', async () => {
    const page = await open();
    for (let n = 2; n <= 20; n++) await page.keyboard.press('Alt+Shift+N');
    await expect.poll(() => page.getByRole('tab').count()).toBe(20);
    const terminal = terminalOf(page);
    await terminal.types('echo twenty-$((10+10))\n');
    await terminal.shows(/^twenty-20$/m);
    await page.keyboard.press('Alt+Shift+ArrowRight');
    await expect.poll(async () => (await tabsOf(page))[0]).toBe('[Terminal 1]');
    await page.keyboard.press('Alt+Shift+ArrowLeft');
    await expect.poll(() => isInSight(page, 'Terminal 20')).toBe(true);
    // Every name can be read, and hidden ones are in a list, which the keyboard can navigate too.
    const cut = await page
      .locator('.tab-name')
      .evaluateAll((all) => all.filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth).length);
    expect(cut).toBe(0);
    await page.getByRole('button', { name: 'All terminals' }).click();
    const menu = page.getByRole('menu', { name: 'All terminals' });
    await expect.poll(() => menu.getByRole('menuitem').count()).toBe(20);
    expect(await barriersOf(page)).toEqual([]);
    // A tab whose prompt arrived after it was left shows that next to its name.
    await menu.getByRole('menuitem', { name: /^Terminal 7\b/ }).click();
    await expect.poll(() => isInSight(page, 'Terminal 7')).toBe(true);
    await page.getByRole('button', { name: 'All terminals' }).click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await terminal.shows(/^twenty-20$/m);
    const names = await tabsOf(page);
    await page.reload();
    await terminal.shows(/^twenty-20$/m);
    expect(await tabsOf(page)).toEqual(names);
    await expect.poll(() => isInSight(page, 'Terminal 20')).toBe(true);
    await expect
      .poll(async () => (await world.health()).sessions)
      .toEqual({ running: 20, orphaned: 0, exited: 0 });
  });
});

async function isInSight(page: Page, name: string): Promise<boolean> {
  const box = await tab(page, name).boundingBox();
  const width = page.viewportSize()?.width ?? 0;
  return box !== null && box.x >= 0 && box.x + box.width <= width;
}

describe('the sessions panel', () => {
  it('lists the sessions of the workspace, with program, place and viewers; opens, renames and ends them', async () => {
    const page = await open();
    await terminalOf(page).types('cd /usr; sleep 300\n');
    // The panel shows the current sessions when it is opened.
    await untilRuns(world, 'sleep');
    const other = await world.client();
    const { id } = await other.client.create({ cols: 80, rows: 24, name: 'Api', command: '/bin/sh' });
    await page.getByRole('button', { name: 'Sessions' }).click();
    const panel = page.getByRole('dialog', { name: 'Sessions' });
    const own = panel.getByRole('listitem').filter({ hasText: 'Terminal 1' });
    await own.getByText(/sleep/).waitFor();
    await own.getByText('/usr').waitFor();
    await own.getByText(/open in this window/).waitFor();
    const api = panel.getByRole('listitem').filter({ hasText: 'Api' });
    await api.getByText(/no viewers since (?:.+, )?\d\d:\d\d/).waitFor();

    await api.getByRole('button', { name: 'Rename Api' }).click();
    await panel.getByLabel('New name of Api').fill('Back end');
    await page.keyboard.press('Enter');
    await panel.getByRole('button', { name: 'Open Back end' }).click();
    await expectTabs(page, 'Terminal 1', '[Back end]');
    await terminalOf(page).types('echo opened-$((1+1))\n');
    await terminalOf(page).shows(/^opened-2$/m);

    await page.keyboard.press('Alt+Shift+S');
    await panel.getByRole('button', { name: 'End Terminal 1' }).click();
    await own.getByRole('button', { name: 'End', exact: true }).click();
    await expect.poll(async () => (await other.client.list()).map((session) => session.id)).toEqual([id]);
    other[Symbol.dispose]();
  });
});
