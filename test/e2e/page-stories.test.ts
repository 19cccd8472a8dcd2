/** Coming back: what a person sees in a real browser after everything that can go wrong. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { expectTabs } from '../support/expect-tabs.ts';
import { endSessions, newTerminal, openTerminal } from '../support/page-story.ts';
import { familyOf } from '../support/process-table.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

let world: World;
let pageLeg: CuttingProxy;
let agentLeg: CuttingProxy;
beforeAll(async () => {
  const relay = await TestRelay.start();
  [pageLeg, agentLeg] = await Promise.all([CuttingProxy.to(relay.url), CuttingProxy.to(relay.url)]);
  world = await World.open({ legs: { agent: agentLeg.url, client: relay.url } }, relay);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await pageLeg[Symbol.asyncDispose]();
  await agentLeg[Symbol.asyncDispose]();
});
afterEach(() => endSessions(world));

/** In the background, so that the shell listens meanwhile. */
const COUNT = 'clear; (i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo row-$i; sleep 0.03; done) &\n';

/** The numbers of the rows on the screen are a piece of the count, without hole or repetition. */
async function expectCount(page: Page): Promise<void> {
  const rows = [...(await terminalOf(page).screen()).matchAll(/row-(\d+)$/gm)].map(([, n]) => Number(n));
  expect(rows.length).toBeGreaterThan(5);
  expect(rows).toEqual(rows.map((_, i) => (rows[0] ?? 0) + i));
}

async function latestRow(page: Page): Promise<number> {
  const rows = [...(await terminalOf(page).screen()).matchAll(/row-(\d+)$/gm)];
  return Number(rows.at(-1)?.[1] ?? 0);
}

const offline = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a reload', () => {
  it('[P23] [F1] brings back both tabs, with what runs in them and what they show', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('echo first-$((1+1)); sleep 300\n');
    await terminal.shows(/^first-2$/m);
    await newTerminal(page);
    await terminal.types('watch -n 0.2 date +%s%N\n');
    await terminal.shows(/Every 0\.2s/);
    const sleeping = () => familyOf(world.agent.pid).filter(({ name }) => name === 'sleep');
    const [before] = sleeping();

    await page.reload();
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');
    await terminal.shows(/Every 0\.2s/);
    const first = await terminal.screen();
    await expect.poll(() => terminal.screen()).not.toBe(first);
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await terminal.shows(/^first-2$/m);
    expect(sleeping()).toEqual([before]);
    await page.context().close();
  });

  it('[F1] ten times over, types nothing into a program that asks and follows the mouse', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types(
      `stty -echo -icanon; printf '\\033[?1004h\\033[?1003h\\033[6n\\033[c\\033]11;?\\007ready\\n'; cat -v\n`,
    );
    await terminal.shows(/ready/);
    // What the machine itself answers to the questions is there once, and nothing is added to it.
    await terminal.shows(/\^\[\[\?1;2c/);
    const typed = await terminal.screen();
    for (let turn = 0; turn < 10; turn++) {
      await page.reload();
      await terminal.shows(/ready/);
    }
    await page.getByRole('status').getByText('Connected').waitFor();
    const after = await terminal.screen();
    expect(after.replaceAll(/\^\[\[[IO]/g, '').trim()).toBe(typed.replaceAll(/\^\[\[[IO]/g, '').trim());
    await page.context().close();
  });

  it('goes back to where the person had scrolled to, and to the names and order they chose', async () => {
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

describe('a network that drops', () => {
  it.each([5, 10])(
    '[P24] [F2] for %d s: overlay, automatic return, nothing lost or doubled',
    async (seconds) => {
      const page = await openTerminal(world, { origin: pageLeg.url });
      const terminal = terminalOf(page);
      await terminal.types(COUNT);
      await terminal.shows(/^row-20$/m);
      const overlay = page.getByRole('tabpanel').getByText('Reconnecting…');
      const seen = overlay.waitFor();
      pageLeg.down();
      await seen;
      const before = await latestRow(page);
      await offline(seconds * 1_000);
      await page.keyboard.type('echo typed-$((40+2))\r');
      await page.getByText('Not sent yet: echo typed-$((40+2))⏎').waitFor();
      const arrives = terminal.shows(/^typed-42$/m);
      pageLeg.up();
      await overlay.waitFor({ state: 'hidden' });
      await page.getByText(/Back after \d+ s: \d.* caught up in \d+ m?s\./).waitFor();
      await arrives;
      await expect.poll(() => latestRow(page)).toBeGreaterThan(before + 30);
      await expectCount(page);
      await page.context().close();
    },
  );

  it('[F2] without a word: a black hole is noticed, and the way around it found', async () => {
    const page = await openTerminal(world, { origin: pageLeg.url });
    const terminal = terminalOf(page);
    await terminal.types(COUNT);
    await terminal.shows(/^row-20$/m);
    pageLeg.freeze();
    // The browser says that the network has changed: the socket is probed, and given up.
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor();
    await page.getByRole('button', { name: 'Retry now' }).click();
    pageLeg.thaw();
    await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor({ state: 'hidden' });
    await expectCount(page);
    await page.context().close();
  });

  it("[F2] on the agent's side only: the page waits, says since when, and shows the tail", async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types(COUNT);
    await terminal.shows(/^row-20$/m);
    agentLeg.down();
    await page
      .getByRole('tabpanel')
      .getByText(/The machine is offline since/)
      .waitFor();
    agentLeg.up();
    await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor({ state: 'hidden' });
    await expectCount(page);
    await page.context().close();
  });
});

describe('a laptop lid', () => {
  it('[F3] closed and opened again: the page notices by itself that its socket is dead', async () => {
    const page = await openTerminal(world, { origin: pageLeg.url });
    const terminal = terminalOf(page);
    await terminal.types(COUNT);
    await terminal.shows(/^row-20$/m);
    // The machine sleeps, and the network has forgotten it when it wakes: what a frozen clock looks like inside.
    await page.evaluate(() => {
      const real = Date.now;
      Date.now = () => real() + 60_000;
    });
    pageLeg.freeze();
    await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor();
    pageLeg.thaw();
    await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor({ state: 'hidden' });
    await expectCount(page);
    await page.context().close();
  });
});

describe('a window that is closed', () => {
  it('[P25] leaves its sessions running; another browser finds tabs, names and order as they were', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('echo kept-$((1+1))\n');
    await terminal.shows(/^kept-2$/m);
    await newTerminal(page);
    await page.keyboard.press('Alt+Shift+PageUp');
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await expectTabs(page, 'Terminal 2', '[Terminal 1]');
    await page.context().close();
    await expect.poll(async () => (await world.health()).sessions).toMatchObject({ running: 2, orphaned: 2 });

    const other = await openTerminal(world);
    await expectTabs(other, 'Terminal 2', '[Terminal 1]');
    await terminalOf(other).shows(/^kept-2$/m);
    await other.context().close();
  });
});

describe('an agent that restarts', () => {
  it('[P26] brings the tabs back with their names and order, and fresh shells in them', async () => {
    const page = await openTerminal(world);
    const terminal = terminalOf(page);
    await terminal.types('OLD=old; echo before-$((1+1))\n');
    await newTerminal(page);
    await page.getByRole('tab', { name: 'Terminal 2' }).dblclick();
    await page.getByLabel('Name of the terminal').fill('Logs');
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await world.crashAgent();
    await page.getByText('“Terminal 1” is a fresh shell; the one before it is gone.').waitFor();
    await expectTabs(page, '[Terminal 1]', 'Logs');
    await terminal.types('echo "<$OLD>"\n');
    await terminal.shows(/^<>$/m);
    await page.getByRole('tab', { name: 'Logs' }).click();
    await terminal.types('echo logs-$((1+1))\n');
    await terminal.shows(/^logs-2$/m);
    await page.context().close();
  });
});
