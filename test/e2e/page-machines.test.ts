/** The owner's page in a real browser: what becomes of machines is seen as it happens, at no cost while nothing does. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MachineReport } from '../../worker/fleet/machine-report.ts';
import { OwnedRelay } from '../support/owned-relay.ts';
import {
  button,
  DESK,
  LINK_FIELD as FIELD,
  heading,
  namesOn,
  OwnerPages,
  PHONE,
} from '../support/owner-pages.ts';
import { barriersOf } from '../support/page-story.ts';
import { connectAgent } from '../support/relay-story.ts';

let relay: OwnedRelay;
const pages = new OwnerPages(() => relay);
beforeAll(async () => {
  relay = await OwnedRelay.start();
});
afterEach(async () => {
  await pages.close();
  await relay.removeAll();
});
afterAll(() => relay[Symbol.asyncDispose]());

const open: OwnerPages['open'] = (address, options) => pages.open(address, options);
const loggedIn: OwnerPages['loggedIn'] = (options) => pages.loggedIn(options);

/** A headless browser hides no tab; this is what the page would see. */
const setHidden = (page: Page, isHidden: boolean) =>
  page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    isHidden ? 'hidden' : 'visible',
  );

const REPORT: MachineReport = {
  ...{ isOnline: true, since: Date.now() - 60_000, lastSeen: null, sessions: 2, version: '0.1.0' },
  attention: null,
};

describe("the owner's list of machines", () => {
  it('[J3] [FL5] [FL6] shows what becomes of machines as it happens, and asks no workspace', async () => {
    const page = await loggedIn();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await relay.joins('build-1');
    await page.getByText('Has not connected yet').waitFor();
    const own = relay.relay.another();
    const agent = await connectAgent(own, { sessions: [], build: '1.2.3' });
    await page.getByText(/^0 sessions · Agent 1\.2\.3 · Connected with a token$/).waitFor();
    expect(await namesOn(page)).toEqual([own.workspace, 'build-1']);
    await page.getByText('2 machines, 1 online').waitFor();
    await relay.reported({ 'build-1': { ...REPORT, attention: { state: 'failed', count: 1 } } });
    await page.getByText('1 session has failed').waitFor();
    await page
      .getByText(/^Online since \d\d:\d\d$/)
      .first()
      .waitFor();
    expect(await namesOn(page), 'what wants attention comes first').toEqual(['build-1', own.workspace]);
    await relay.reported({ 'build-1': { ...REPORT, isOnline: false, lastSeen: Date.now() } });
    await page.getByText(/^Offline, last seen \d\d:\d\d$/).waitFor();
    expect(await namesOn(page)).toEqual([own.workspace, 'build-1']);
    expect(new Set(asked)).toEqual(new Set(['/api/owner/machines']));
    await agent[Symbol.asyncDispose]();
  });

  it('[J3] [FL6] costs nothing while it is hidden, and is current again when it is shown', async () => {
    await relay.joins('build-1');
    const page = await open(relay.url.href);
    const opened = page.waitForEvent('websocket');
    await page.getByLabel(FIELD).fill(await relay.ownerLink());
    await page.keyboard.press('Enter');
    const socket = await opened;
    await page.getByText('Has not connected yet').waitFor();
    const closed = socket.waitForEvent('close');
    await setHidden(page, true);
    await closed;
    let asked = 0;
    page.on('request', () => asked++);
    await relay.reported({ 'build-1': REPORT });
    await relay.joins('build-2');
    expect([asked, await namesOn(page)]).toEqual([0, ['build-1']]);
    await setHidden(page, false);
    await heading(page, 'build-2').waitFor();
    await page.getByText('2 machines, 1 online').waitFor();
  });

  it('[J3] [J6] lists the share links of a machine, and revokes them', async () => {
    await relay.joins('build-1');
    const wanted = { role: 'viewer', seconds: 3600, label: 'Ann' };
    expect((await relay.asOwner('POST', '/api/workspaces/build-1/share-links', wanted)).status).toBe(201);
    const page = await loggedIn();
    await button(page, 'Links build-1').click();
    const links = page.getByRole('dialog', { name: 'Share links of build-1' });
    await links.getByText(/^All sessions · view only · made by owner · .* · never used$/).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await links.getByRole('button', { name: 'Revoke Ann' }).click();
    await links.getByRole('button', { name: 'Revoke', exact: true }).click();
    await links.getByText('There are no links.').waitFor();
    await page.keyboard.press('Escape');
  });

  it('[J3] [FL7] renews its login with a key: without a cookie it gets another, and a stolen cookie gets none', async () => {
    await relay.joins('build-1');
    const page = await loggedIn();
    await page.context().clearCookies();
    const renewed = page.waitForRequest((request) => request.url().endsWith('/api/owner/login'));
    await button(page, 'Open build-1').click();
    expect((await renewed).headers().authorization).toMatch(/^Owner-Renewal /);
    await page.waitForURL('**/w/build-1');
    // Signing out forgets the key.
    await page.goto(relay.url.href);
    await button(page, 'Sign out').click();
    await heading(page, 'A terminal in the browser for a machine you cannot reach').waitFor();
    await page.reload();
    await heading(page, 'A terminal in the browser for a machine you cannot reach').waitFor();
  });

  it('[J3] renames a machine, and shows its audit trail, by keyboard', async () => {
    const own = relay.relay.another();
    await (await connectAgent(own))[Symbol.asyncDispose]();
    const page = await loggedIn();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await button(page, `Rename ${own.workspace}`).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    await page.keyboard.type('The \u202efast one');
    await page.keyboard.press('Enter');
    await heading(page, 'The fast one').waitFor();
    await page.getByText(own.workspace, { exact: true }).waitFor();
    await expect.poll(focused).toBe('Rename');
    await button(page, 'Audit The fast one').focus();
    await page.keyboard.press('Enter');
    const trail = page.getByRole('dialog', { name: 'Audit trail of The fast one' });
    await trail.getByText('Machine connected').waitFor();
    await trail.getByText(/^token \S{8} \(agent, machine\), \d\d:\d\d$/).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Audit');
    await button(page, 'Rename The fast one').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('');
    await button(page, 'Save').click();
    await heading(page, own.workspace).waitFor();
  });

  it.each([
    ['desk', DESK],
    ['phone', PHONE],
  ] as const)('[J3] is usable with 200 machines: %s', async (_, size) => {
    await relay.reported(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`worker-${i}`, REPORT])));
    const page = await loggedIn(size);
    await page.getByText('200 machines, 200 online').waitFor();
    await page.getByLabel('Filter').fill('ER-17');
    await page.getByText('11 of 200 machines').waitFor();
    expect((await namesOn(page)).slice(0, 3)).toEqual(['worker-17', 'worker-170', 'worker-171']);
    await relay.reported({ 'worker-175': { ...REPORT, attention: { state: 'asks', count: 2 } } });
    await page.getByText('2 sessions want attention: one asks').waitFor();
    expect((await namesOn(page))[0]).toBe('worker-175');
    await page.getByLabel('Filter').fill('nothing');
    await page.getByText('0 of 200 machines').waitFor();
    expect(await barriersOf(page)).toEqual([]);
  });
});
