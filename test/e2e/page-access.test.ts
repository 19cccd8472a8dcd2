/** Accessibility: keyboards, screen readers, phones; and what a page says that cannot start. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import {
  barriersOf,
  endSessions,
  newTerminal,
  openPage,
  openTerminal,
  untilRuns,
} from '../support/page-story.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

describe('axe-core finds nothing serious', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openTerminal(world);
    await newTerminal(page);
    return async () => {
      await page.context().close();
      await endSessions(world);
    };
  });

  it('on the page with its tabs, in any theme', async () => {
    for (const theme of ['dark', 'light', 'slate', 'sand', 'contrast']) {
      await page.evaluate((theme) => {
        const text = JSON.stringify({ theme });
        localStorage.setItem('holdfast/settings', text);
        dispatchEvent(new StorageEvent('storage', { key: 'holdfast/settings' }));
      }, theme);
      await page.locator(`.holdfast[data-theme=${theme}]`).waitFor();
      expect(await barriersOf(page), theme).toEqual([]);
    }
  });

  it.each([
    ['the sessions panel', 'Alt+Shift+S', 'Go to Terminal 1'],
    ['the settings', 'Alt+Shift+Comma', 'Close'],
    ['find', 'Control+Shift+F', 'Next match'],
  ])('in %s', async (_, keys, button) => {
    await page.keyboard.press(keys);
    await page.getByRole('button', { name: button, exact: true }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: button, exact: true }).waitFor({ state: 'hidden' });
  });

  it('in the menu, in a dialog, and over an ended shell', async () => {
    await page.getByRole('button', { name: 'Terminal actions' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await terminalOf(page).types('sleep 300\n');
    await untilRuns(world, 'sleep');
    await page.keyboard.press('Alt+Shift+W');
    await page.getByRole('button', { name: 'End terminal' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+C');
    await terminalOf(page).types('exit 1\n');
    await page.getByText(/exit code 1/).waitFor();
    expect(await barriersOf(page)).toEqual([]);
  });
});

describe('without a mouse', () => {
  it('everything can be reached with Tab, and the focus is visible', async () => {
    const page = await openTerminal(world);
    // Browsers hide the focus ring after the mouse was used, and a key with Alt does not bring it back.
    await page.locator('.terminal-host:visible').click();
    await page.keyboard.press('Alt+Shift+ArrowUp');
    const names: (string | null)[] = [];
    for (let step = 0; step < 8; step++) {
      names.push(await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null));
      const outline = await page.evaluate(
        () => getComputedStyle(document.activeElement as Element).outlineStyle,
      );
      expect(outline, `${names.at(-1)}`).toBe('solid');
      await page.keyboard.press('Tab');
    }
    const tools = ['Find', 'Sessions', 'Share', 'Continue on another device', 'Settings', 'Terminal actions'];
    expect(names).toEqual(['Terminal 1', 'New terminal', ...tools]);
    await page.keyboard.press('Alt+Shift+ArrowDown');
    await terminalOf(page).types('echo keys-$((1+1))\n');
    await terminalOf(page).shows(/^keys-2$/m);
    await page.context().close();
    await endSessions(world);
  });
});

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };

describe('on a phone', () => {
  it('fits 360 pixels, has the keys that phones lack, and scrolls with a finger', async () => {
    const context = await world.browserContext(PHONE);
    const page = await openTerminal(world, { context });
    const terminal = terminalOf(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
    await page.getByRole('toolbar', { name: 'Keys' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);

    await terminal.types('cat\n');
    await page.getByRole('button', { name: 'Ctrl' }).tap();
    await page.keyboard.type('c');
    await terminal.shows(/\^C/);
    await terminal.types('echo up-$((1+1))');
    await page.keyboard.press('Enter');
    await terminal.shows(/^up-2$/m);
    await terminal.types('clear; seq 1 200\n');
    await terminal.shows(/^200$/m);

    const box = await page.locator('.terminal-host:visible').boundingBox();
    const client = await context.newCDPSession(page);
    const touch = (type: string, y: number) =>
      client.send('Input.dispatchTouchEvent', {
        type: type as 'touchStart',
        touchPoints: type === 'touchEnd' ? [] : [{ x: 100, y }],
      });
    const top = (box?.y ?? 0) + 40;
    await touch('touchStart', top);
    for (let way = 20; way <= 240; way += 20) await touch('touchMove', top + way);
    await touch('touchEnd', 0);
    await expect.poll(() => terminal.screen()).not.toMatch(/^200$/m);
    await page.context().close();
    await endSessions(world);
  });
});

describe('an on-screen keyboard', () => {
  it('leaves the key bar and the prompt visible, and gives the program fewer rows', async () => {
    const context = await world.browserContext(PHONE);
    const page = await openTerminal(world, { context });
    const terminal = terminalOf(page);
    const rows = async () => {
      await terminal.types('clear; stty size\n');
      await terminal.shows(/^\d+ \d+$/m);
      return Number(/^(\d+) \d+$/m.exec(await terminal.screen())?.[1]);
    };
    const before = await rows();
    // Chromium's own keyboard cannot be opened from here, and shrinks the page; Safari's covers it and reports only
    // this.
    await page.evaluate(() => {
      const viewport = window.visualViewport as VisualViewport;
      Object.defineProperty(viewport, 'height', { value: 340 });
      viewport.dispatchEvent(new Event('resize'));
    });
    const keys = page.getByRole('toolbar', { name: 'Keys' });
    const bottomOf = async (box: Locator) => {
      const { y = 0, height = 1_000 } = (await box.boundingBox()) ?? {};
      return y + height;
    };
    await expect.poll(() => bottomOf(keys)).toBeLessThanOrEqual(340);
    await expect.poll(rows).toBeLessThan(before - 10);
    expect(await bottomOf(page.locator('.terminal-host:visible'))).toBeLessThanOrEqual(340);
    await page.context().close();
    await endSessions(world);
  });
});

describe('a page that cannot start says what to do', () => {
  it('if the machine has never connected: it waits, and starts when it connects', async () => {
    await using empty = await World.open();
    await empty.agent.stop();
    await expect.poll(async () => (await empty.health()).agent.state).toBe('offline');
    const page = await openPage(empty);
    await page
      .getByText(/The machine is offline|has not connected yet/)
      .first()
      .waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await empty.restartAgent();
    await terminalOf(page).types('echo there-$((1+1))\n');
    await terminalOf(page).shows(/^there-2$/m);
  });

  it('if it has no credential for the workspace', async () => {
    const page = await openTerminal(world);
    await page.goto(new URL('/w/unknown', world.relay.url).href);
    await page.getByRole('heading', { name: 'Sign in to this workspace' }).waitFor();
    await page.getByText(/ask the person who runs the workspace/).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.goto(new URL('/w/not%20a%20name', world.relay.url).href);
    await page.getByRole('heading', { name: 'There is no workspace at this address' }).waitFor();
    await page.context().close();
    await endSessions(world);
  });

  it('if its login expires while it is open: the terminal stays, and a new link restores it', async () => {
    const page = await (await world.browserContext()).newPage();
    const token = await world.relay.token('operator');
    await page.goto(readable(`${world.pageUrl}#token=${token}`));
    await terminalOf(page).prompts();
    // Revoked or expired, the relay closes the socket in the same way.
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    await fetch(new URL('/api/workspaces/test/revocations', world.relay.url), {
      method: 'POST',
      headers: { ...(await world.relay.bearer('operator')), 'Content-Type': 'application/json' },
      body: JSON.stringify({ jti }),
    });
    await page
      .getByText(/Your login has ended\. Your programs keep running\. Paste a new link/)
      .first()
      .waitFor();
    await page.goto(readable(`${world.pageUrl}#token=${await world.relay.token('operator')}`));
    await expectTabs(page, '[Terminal 1]');
    await terminalOf(page).types('echo in-$((1+1))\n');
    await terminalOf(page).shows(/^in-2$/m);
    await page.context().close();
  });
});
