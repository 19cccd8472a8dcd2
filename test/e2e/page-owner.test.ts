/** The owner's page in a real browser: machines are listed, opened, invited and removed by whoever has the owner's link. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
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
import { barriersOf, complaintsOf } from '../support/page-story.ts';

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

/** The browser can no longer renew its login. */
const forgetKey = (page: Page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const deleting = indexedDB.deleteDatabase('holdfast');
        deleting.onsuccess = resolve;
      }),
  );

describe("the owner's page", () => {
  it('[J2] lists the machines of the relay, and invites, opens and removes them', async () => {
    await relay.joins('build-1');
    const link = await relay.ownerLink();
    const page = await open(link, { ...DESK, permissions: ['clipboard-read', 'clipboard-write'] });
    const complaints = complaintsOf(page);
    await heading(page, 'Machines').waitFor();
    expect(page.url(), 'the code does not stay in the address').toBe(relay.url.href);
    expect(await namesOn(page)).toEqual(['build-1']);
    await page.getByText(/^Joined .*\d\d:\d\d$/).waitFor();

    await button(page, 'Invite a machine').click();
    const dialog = page.getByRole('dialog', { name: 'Invite a machine' });
    await dialog.getByText(/^holdfast join /).waitFor();
    await dialog.getByText('It works once, within 10 minutes.').waitFor();
    await dialog.getByText(/So only this machine can join\./).waitFor();
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByText('The line is copied.').waitFor();
    const line = await page.evaluate(() => navigator.clipboard.readText());
    const [, address, code] = /^holdfast join (\S+) '#([\w-]{43})'$/.exec(line) ?? [];
    expect([address, await relay.trade(code, 'build-2')]).toEqual([relay.url.origin, 'build-2']);
    await button(page, 'Close').click();
    await heading(page, 'build-2').waitFor();

    await button(page, 'Open build-2').click();
    await page.waitForURL('**/w/build-2');
    const health = await page.evaluate(async () => (await fetch('/api/workspaces/build-2/health')).status);
    expect(health, 'this browser is logged in there').toBe(200);
    await page.goto(relay.url.href);

    await button(page, 'Remove build-1').click();
    const question = page.getByRole('dialog', { name: 'Remove “build-1”?' });
    await question.getByText(/is disconnected, and its credential is revoked\./).waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await button(page, 'Remove build-1').click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await heading(page, 'build-1').waitFor({ state: 'detached' });
    expect(await namesOn(page)).toEqual(['build-2']);
    expect(await relay.machines()).toEqual(['build-2']);

    await button(page, 'Sign out').click();
    await heading(page, 'A terminal in the browser for a machine you cannot reach').waitFor();
    await page.reload();
    await heading(page, 'A terminal in the browser for a machine you cannot reach').waitFor();
    const used = await open(link);
    await heading(used, 'This link does not work').waitFor();
    await used.getByText('This link has been used.', { exact: true }).waitFor();
    await used.getByText('Make another link with holdfast link --owner.').waitFor();
    expect(used.url()).toBe(relay.url.href);
    expect(await barriersOf(used)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('[J2] is opened by a link that is pasted, also after one that was used', async () => {
    const page = await open(relay.url.href);
    const link = await relay.ownerLink();
    await page.getByLabel(FIELD).fill(link);
    await page.keyboard.press('Enter');
    await heading(page, 'Machines').waitFor();
    await page.getByText(/^No machine has joined this relay yet\./).waitFor();
    expect(page.url()).toBe(relay.url.href);
    const other = await open(link);
    await heading(other, 'This link does not work').waitFor();
    await other.getByLabel(FIELD).fill(await relay.ownerLink());
    await other.keyboard.press('Enter');
    await heading(other, 'Machines').waitFor();
  });

  it('[J2] says that the login has ended, whatever is asked then, and takes another link', async () => {
    await relay.joins('build-1');
    const page = await open(new URL('/status', relay.url).href);
    // A page that hears of no changes asks nothing by itself.
    await page.addInitScript(() => {
      Object.assign(globalThis, {
        WebSocket: class {
          close() {}
        },
      });
    });
    await page.goto(await relay.ownerLink());
    await heading(page, 'Machines').waitFor();
    for (const name of ['Invite a machine', 'Open build-1', 'Audit build-1']) {
      await forgetKey(page);
      await page.context().clearCookies();
      await button(page, name).click();
      await page.getByText('Your login has ended. Make another link with holdfast link --owner.').waitFor();
      expect(await barriersOf(page)).toEqual([]);
      await page.getByLabel(FIELD).fill(await relay.ownerLink());
      await page.keyboard.press('Enter');
      await heading(page, 'Machines').waitFor();
    }
  });

  it('[J2] keeps the link if the relay cannot be reached, and tries again with it', async () => {
    const page = await open(new URL('/status', relay.url).href);
    await page.route('**/api/owner/login', (route) => route.abort());
    await page.goto(await relay.ownerLink());
    await page.getByText('The relay cannot be reached.').waitFor();
    await page.unroute('**/api/owner/login');
    await button(page, 'Retry').click();
    await heading(page, 'Machines').waitFor();
  });

  it('[J2] says why something could not be done, and shows who has joined when somebody comes back', async () => {
    await relay.joins('build-1');
    const page = await loggedIn();
    await page.route('**/api/owner/machines/build-1/links', (route) => route.abort());
    await button(page, 'Open build-1').click();
    const problem = page.getByRole('alert').filter({ hasText: 'The relay cannot be reached.' });
    await problem.waitFor();
    // A headless browser hides no tab; these are the events that the page would get.
    await relay.joins('build-2');
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await heading(page, 'build-2').waitFor();
    expect(await problem.count(), 'the relay is reached again').toBe(0);
    await relay.joins('build-3');
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await heading(page, 'build-3').waitFor();
  });

  it('[J2] says why there is no invite, or why it is not copied', async () => {
    const page = await loggedIn();
    await page.route('**/api/owner/invites', (route) => route.abort());
    await button(page, 'Invite a machine').click();
    await page.getByText('There is no invite: The relay cannot be reached.').waitFor();
    expect(await button(page, 'Copy').isDisabled()).toBe(true);
    await page.unroute('**/api/owner/invites');
    await button(page, 'Close').click();
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));
    });
    await button(page, 'Invite a machine').click();
    await button(page, 'Copy').click();
    await page.getByText('This browser does not let the page copy. Copy the line yourself.').waitFor();
  });

  it('[J2] buys one login for a machine that is clicked twice', async () => {
    await relay.joins('build-1');
    const page = await loggedIn();
    const clicked = Promise.withResolvers<void>();
    let bought = 0;
    await page.route('**/api/owner/machines/build-1/links', async (route) => {
      bought++;
      await clicked.promise;
      await route.continue();
    });
    await button(page, 'Open build-1').dblclick();
    clicked.resolve();
    await page.waitForURL('**/w/build-1');
    expect(bought).toBe(1);
  });

  it('[J2] says that there is no login in a browser that keeps no cookie', async () => {
    const page = await open(new URL('/status', relay.url).href);
    await page.route('**/api/owner/login', (route) => route.fulfill({ json: { cookieSeconds: 900 } }));
    await page.goto(await relay.ownerLink());
    await page.getByText('Your login has ended.').waitFor();
  });

  it('[J2] that could not be loaded keeps the link too', async () => {
    const page = await open(new URL('/status', relay.url).href);
    await page.route('**/open-owner-page-*.js', (route) => route.abort());
    await page.goto(await relay.ownerLink());
    await page.getByText(/^This page could not be loaded/).waitFor();
    expect(page.url()).toBe(relay.url.href);
    await page.unroute('**/open-owner-page-*.js');
    await button(page, 'Retry').click();
    await heading(page, 'Machines').waitFor();
  });

  it('[J2] is used by keyboard: each dialog gives the focus back', async () => {
    await relay.joins('build-1');
    const page = await loggedIn();
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await button(page, 'Invite a machine').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Invite a machine');
    await button(page, 'Remove build-1').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // The first answer leaves everything as it is.
    await page.keyboard.press('Enter');
    await expect.poll(focused).toBe('Remove');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading(page, 'build-1').waitFor({ state: 'detached' });
    expect(await focused()).toBe('Machines');
  });

  it.each([
    ['desk', 'dark', DESK],
    ['desk', 'light', DESK],
    ['phone', 'dark', PHONE],
    ['phone', 'light', PHONE],
  ] as const)('[J2] fits and is readable: %s, %s', async (_, colorScheme, size) => {
    await relay.joins('build-1');
    await relay.joins('a-machine-with-a-name-that-takes-as-much-room-as-a-name-can-have');
    const page = await loggedIn({ ...size, colorScheme });
    const overflow = () =>
      page.evaluate(() => {
        const main = document.querySelector('main');
        return main === null ? null : main.scrollWidth - main.clientWidth;
      });
    expect([await barriersOf(page), await overflow()]).toEqual([[], 0]);
    await button(page, 'Invite a machine').click();
    await page.getByText(/^holdfast join /).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await button(page, 'Close').click();
    await button(page, 'Remove build-1').click();
    await page.getByRole('dialog').waitFor();
    expect(await barriersOf(page)).toEqual([]);
  });

  it('[J2] is no part of what the page of a workspace loads', async () => {
    const page = await open(relay.url.href);
    const loaded = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .join('\n'),
      );
    await heading(page, 'A terminal in the browser for a machine you cannot reach').waitFor();
    expect(await loaded()).toMatch(/owner-page-[^/]+\.js/);
    await page.goto(new URL('/w/build-1', relay.url).href);
    await heading(page, 'Sign in to this workspace').waitFor();
    expect(await loaded()).not.toMatch(/owner/);
  });
});
