/** A text that is composed in a field of its own, on a phone and at a desk. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import {
  barriersOf,
  complaintsOf,
  endSessions,
  forget,
  openPage,
  openTerminal,
} from '../support/page-story.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Several KB, as somebody dictates for a coding agent. */
const DICTATED = Array.from(
  { length: 60 },
  (_, i) =>
    `${i}. Die Tür schließt nicht, “says” she; 日本語 👩🏽‍🚀 🏳️‍🌈 — and\ttabs too, 'quoted' $HOME !x \\`,
).join('\n');

const pasted = (text: string) =>
  Buffer.from(`\x1b[200~${text.replaceAll('\n', '\r')}\x1b[201~`).toString('latin1');

let world: World;
let pageLeg: CuttingProxy;
let page: Page;
let complaints: string[];
beforeAll(async () => {
  const relay = await TestRelay.onWorkerd();
  pageLeg = await CuttingProxy.to(relay.url);
  world = await World.open({ legs: { agent: relay.url, client: relay.url } }, relay);
  const context = await world.browserContext({ ...PHONE, reducedMotion: 'reduce' });
  page = await openTerminal(world, { context, origin: pageLeg.url });
  complaints = complaintsOf(page);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await pageLeg[Symbol.asyncDispose]();
});

const field = () => page.getByRole('textbox', { name: /^Text for / });
const button = (name: string) => page.getByRole('button', { name, exact: true });
const composeKey = () =>
  page.getByRole('toolbar', { name: 'Keys' }).getByRole('button', { name: 'Compose text' });
const hasFocus = (className: string) =>
  page.waitForFunction((name) => document.activeElement?.classList.contains(name), className);
const historyItems = () => page.getByRole('menu', { name: 'History' }).getByRole('menuitem');

describe('the composer on a phone', () => {
  it('[J5] sends a long text once, byte for byte, through a cut and while the connection is away', async () => {
    const client = await world.client();
    using program = await RecordingProgram.start(client, 'Recorder');
    await button('Sessions').tap();
    await button('Open Recorder').tap();
    await program.prints('\x1b[?2004hready\r\n');
    await terminalOf(page).shows(/^ready$/m);
    await composeKey().tap();
    await hasFocus('composer-field');
    expect(await barriersOf(page)).toEqual([]);

    // It is on its way when the network stops, and perhaps taken when the connection is cut.
    await field().fill(DICTATED);
    pageLeg.freeze();
    await button('Send').tap();
    expect(await field().inputValue()).toBe('');
    pageLeg.down();
    pageLeg.thaw();
    await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor();
    await page.getByRole('tabpanel').getByText('Not sent').waitFor();
    pageLeg.up();
    await page.getByRole('status').getByText('Sent', { exact: true }).waitFor();
    expect(program.typed).toBe(`${pasted(DICTATED)}\r`);

    // Composed while the connection is away: more than is kept of what is typed.
    pageLeg.down();
    await page.getByRole('tabpanel').getByText('Reconnecting…').waitFor();
    await field().fill(`again ${DICTATED}`);
    await button('Insert').tap();
    await page.getByRole('status').getByText('Sending…').waitFor();
    pageLeg.up();
    await page.getByRole('status').getByText('Sent', { exact: true }).waitFor();
    expect(program.typed).toBe(`${pasted(DICTATED)}\r${pasted(`again ${DICTATED}`)}`);
    client[Symbol.dispose]();
    expect(complaints).toEqual([]);
  });

  it('[J5] keeps a draft over a reload, and a history that can be cleared', async () => {
    await field().fill('a draft');
    await page.reload();
    await expect.poll(() => field().inputValue()).toBe('a draft');
    await button('History').tap();
    expect(await historyItems().allTextContents()).toEqual([
      expect.stringMatching(/^again 0\. Die Tür/),
      expect.stringMatching(/^0\. Die Tür/),
      'Clear history',
    ]);
    expect(await barriersOf(page)).toEqual([]);
    await historyItems().nth(1).tap();
    expect(await field().inputValue()).toBe(DICTATED);
    await button('History').tap();
    await historyItems().last().tap();
    await button('History').tap();
    expect(await historyItems().allTextContents()).toEqual(['Nothing was sent yet']);
    await page.keyboard.press('Escape');
    await field().fill('');
  });

  it('[J5] stays above the keyboard, and the row of the cursor above it; Escape returns to the terminal', async () => {
    await page.setViewportSize({ width: 390, height: 440 });
    await field().fill('line\n'.repeat(40));
    await page.waitForFunction(() => {
      const bottomOf = (selector: string) =>
        document.querySelector(selector)?.getBoundingClientRect().bottom ?? 0;
      const composer = document.querySelector('.composer')?.getBoundingClientRect();
      const screen = document.querySelector('[role=tabpanel]:not([hidden]) .xterm-screen');
      const last = screen?.getBoundingClientRect().bottom ?? Number.POSITIVE_INFINITY;
      return (
        composer !== undefined &&
        last <= composer.top + 1 &&
        composer.bottom <= bottomOf('.key-bar') &&
        bottomOf('.status-line') <= innerHeight + 1
      );
    });
    await field().fill('');
    await page.keyboard.press('Escape');
    await field().waitFor({ state: 'detached' });
    await hasFocus('xterm-helper-textarea');
    await page.setViewportSize(PHONE.viewport);
  });

  it('[J5] has the aids of a phone for writing, and the terminal has none', async () => {
    await composeKey().tap();
    const aids = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) =>
          ['autocorrect', 'autocapitalize', 'spellcheck'].map((name) => element.getAttribute(name)),
        );
    expect(await aids('.composer-field')).toEqual(['on', 'sentences', 'true']);
    expect(await aids('.xterm-helper-textarea')).toEqual(['off', 'off', 'false']);
    await composeKey().tap();
    await field().waitFor({ state: 'detached' });
  });

  it('[J5] is not there for a viewer', async () => {
    await forget(page, world);
    await openPage(world, { page, role: 'viewer' });
    await page.getByRole('tab').first().waitFor();
    await page.keyboard.press('Alt+Shift+O');
    expect(await button('Compose text').count()).toBe(0);
    await button('Terminal actions').tap();
    await page.getByRole('menuitem', { name: 'Select all' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Compose text' }).count()).toBe(0);
    expect(await field().count()).toBe(0);
  });
});

describe('the composer at a desk', () => {
  it('[J5] opens by keys and from the menu, sends lines to a shell without asking, and closes', async () => {
    await page.context().close();
    await endSessions(world);
    page = await openTerminal(world);
    await page.keyboard.press('Alt+Shift+O');
    await hasFocus('composer-field');
    // A shell without bracketed paste runs each line, and a paste of them would be asked about.
    await page.keyboard.insertText('echo one-$((1+1))\necho two-$((1+1))');
    await page.keyboard.press('Control+Enter');
    await terminalOf(page).shows(/one-2$[\s\S]*\btwo-2$/m);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.insertText('echo three');
    await button('Insert').click();
    await terminalOf(page).shows(/[#$] echo three$/m);
    await page.keyboard.press('Escape');
    await hasFocus('xterm-helper-textarea');
    await page.keyboard.type('-x\r');
    await terminalOf(page).shows(/^three-x$/m);
    await button('Terminal actions').click();
    await page.getByRole('menuitem', { name: 'Compose text' }).click();
    await hasFocus('composer-field');
  });
});
