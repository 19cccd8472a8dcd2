/** Notifications while no page is open: the switch in the settings, the service worker, and what a click shows. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HidingBrowser } from '../support/hiding-browser.ts';
import { endSessions, openPage, openTerminal } from '../support/page-story.ts';
import { PushProfile } from '../support/push-page.ts';
import { PushService } from '../support/push-service.ts';
import { needWholeBrowser } from '../support/shared-browser.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

needWholeBrowser();

let service: PushService;
let world: World;
beforeAll(async () => {
  service = await PushService.open();
  const relay = await TestRelay.onWorkerd(PushService.relayOptions(service));
  world = await World.open({}, relay);
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
afterEach(() => endSessions(world));

const profile = async () => PushProfile.open(await world.browserContext(), world.relay, service);

const setting = (page: Page) => page.getByLabel('Notify me when no page is open');

async function openSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await setting(page).waitFor();
}

async function switchOn(page: Page): Promise<void> {
  await openSettings(page);
  await setting(page).click();
  await page.getByText('On in this browser.').waitFor();
  await page.keyboard.press('Escape');
}

/** A profile that is subscribed, and its page with one terminal. */
async function subscribed() {
  const own = await profile();
  const page = await openTerminal(world, { context: own.context });
  await switchOn(page);
  return { own, page, close: () => own.context.close() };
}

/** Sessions, the oldest first. */
async function ids(): Promise<string[]> {
  const sql = 'SELECT id FROM sessions WHERE missing_since IS NULL ORDER BY rowid';
  return ((await world.relay.sql(sql))[0] ?? []).map(({ id }) => String(id));
}

const note = (session: string, changes: object = {}) => ({
  workspace: world.relay.workspace,
  session,
  name: 'build',
  state: 'asks',
  text: 'May I?',
  at: '2026-11-18T09:00:00.000Z',
  ...changes,
});

/** Another page of the profile, which is not one of the workspace. */
async function elsewhere(own: PushProfile): Promise<Page> {
  const page = await own.context.newPage();
  await page.goto(new URL('/health', world.relay.url).href);
  return page;
}

/** A program in that session says something, typed by a script that sees nothing of it. */
async function says(session: string, text: string): Promise<void> {
  const api = await world.api();
  await api.type(session, `${String.raw`printf '\033]9;${text}\007'`}\n`);
}

const isActive = (page: Page, tab: number) => page.getByRole('tab').nth(tab).getAttribute('aria-selected');

describe('the switch in the settings', () => {
  it('[A5] subscribes this browser at the relay, and removes it again', async () => {
    const { own, page, close } = await subscribed();
    expect(await own.atRelay()).toEqual([{ endpoint: own.endpoint, muted: '[]', page: world.pageUrl }]);
    await openSettings(page);
    expect(await setting(page).isChecked()).toBe(true);
    await setting(page).click();
    await page.getByText('Also while this browser shows no page').waitFor();
    expect(await own.atRelay()).toEqual([]);
    await close();
  });

  it('[A5] [PU4] is on in the next page of this browser, whose login renews the subscription', async () => {
    const { own, page, close } = await subscribed();
    await world.relay.sql('DELETE FROM push_subscriptions');
    await world.relay.reset();
    await page.reload();
    await expect.poll(async () => (await own.atRelay()).length).toBe(1);
    await openSettings(page);
    expect(await setting(page).isChecked()).toBe(true);
    await close();
  });

  it('[A5] is off after signing out', async () => {
    const { own, page, close } = await subscribed();
    await openSettings(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to this workspace' }).waitFor();
    expect(await own.atRelay()).toEqual([]);
    expect(await page.evaluate(() => localStorage.getItem('test/subscribed'))).toBeNull();
    await close();
  });

  it.each([
    {
      why: 'blocks notifications',
      prepare: () => Object.defineProperty(Notification, 'permission', { get: () => 'denied' }),
      sentence: 'This browser blocks notifications',
    },
    {
      why: 'has none',
      prepare: () => Reflect.deleteProperty(globalThis, 'PushManager'),
      sentence: 'This browser cannot do that here',
    },
  ])('[A5] says that the browser $why', async ({ prepare, sentence }) => {
    const context = await world.browserContext();
    await context.addInitScript(prepare);
    const page = await openTerminal(world, { context });
    await openSettings(page);
    expect(await setting(page).isDisabled()).toBe(true);
    await page.getByText(sentence).last().waitFor();
    await context.close();
  });

  it('[A5] tells the relay which sessions are muted', async () => {
    const { own, page, close } = await subscribed();
    await page.getByRole('button', { name: 'Sessions' }).click();
    const mute = page.getByRole('button', { name: /^Mute / });
    await mute.click();
    await expect.poll(async () => (await own.atRelay())[0]?.muted).toBe(JSON.stringify(await ids()));
    await mute.click();
    await expect.poll(async () => (await own.atRelay())[0]?.muted).toBe('[]');
    await close();
  });
});

describe('a push', () => {
  it('[A5] goes all the way: from a program to the notification of a browser whose page is closed', async () => {
    const { own, page, close } = await subscribed();
    const [session = ''] = await ids();
    const other = await elsewhere(own);
    await page.close();
    await says(session, 'May I?');
    const pushed = await own.pushed();
    const worker = await own.worker(other);
    await worker.push(pushed);
    await expect
      .poll(() => worker.notifications())
      .toEqual([{ title: 'Terminal 1 wants an answer', body: 'May I?', tag: `holdfast-${session}` }]);
    await close();
  });

  it('[A5] is not sent while somebody looks at that session', async () => {
    const { own, page, close } = await subscribed();
    const [seen = ''] = await ids();
    await says(seen, 'on the screen');
    await terminalOf(page).shows(/on the screen/);
    await page.getByRole('button', { name: 'New terminal' }).click();
    await expect.poll(async () => (await ids()).length).toBe(2);
    await page.close();
    const unseen = (await ids()).find((id) => id !== seen) ?? '';
    await says(unseen, 'unseen');
    expect(await own.pushed(), 'and none before').toMatchObject({ session: unseen });
    await close();
  });

  it('[A5] and the page itself, open and hidden, show one notification together', async () => {
    await using browser = await HidingBrowser.start();
    const own = await PushProfile.open(browser.context, world.relay, service);
    const page = await openTerminal(world, { context: browser.context });
    await openSettings(page);
    await page.getByLabel('Notify me while this page is hidden').check();
    await page.keyboard.press('Escape');
    await switchOn(page);
    const worker = await own.worker(page);
    const [session = ''] = await ids();
    await browser.hide(page);
    await says(session, 'May I?');
    const one = [{ title: 'Terminal 1 wants an answer', body: 'May I?', tag: `holdfast-${session}` }];
    await expect.poll(() => worker.notifications()).toEqual(one); // that of the page
    await worker.push(await own.pushed());
    expect(await worker.notifications()).toEqual(one);
    await page.bringToFront();
    await expect.poll(() => worker.notifications()).toEqual([]); // somebody has looked
  });

  it('[A5] shows one notification of a session while no page is visible, and none while one is', async () => {
    const { own, page, close } = await subscribed();
    const seen = await own.worker(page);
    await seen.push(note('s1'));
    expect(await seen.notifications(), 'whoever looks at the page sees it there').toEqual([]);
    const other = await elsewhere(own);
    await page.close();
    const unseen = await own.worker(other);
    await unseen.push(note('s1', { text: 'first' }));
    await unseen.push(note('s1', { text: 'second' }));
    await unseen.push(note('s2', { state: 'failed', name: 'tests', text: '' }));
    await unseen.push(note('s3', { workspace: 'another' }));
    await unseen.push({ nonsense: true });
    const shown = [
      { title: 'build wants an answer', body: 'second', tag: 'holdfast-s1' },
      { title: 'tests has failed', body: '', tag: 'holdfast-s2' },
    ];
    const byTag = async () => (await unseen.notifications()).toSorted((a, b) => (a.tag < b.tag ? -1 : 1));
    await expect.poll(byTag).toEqual(shown);
    await close();
  });

  it('[A5] opens the page with that session when it is clicked and no page is open', async () => {
    const { own, page, close } = await subscribed();
    await page.getByRole('button', { name: 'New terminal' }).click();
    await expect.poll(async () => (await ids()).length).toBe(2);
    const [first = ''] = await ids();
    const other = await elsewhere(own);
    await page.close();
    const worker = await own.worker(other);
    await worker.push(note(first));
    await expect.poll(async () => (await worker.notifications()).length).toBe(1);
    const { opened } = await worker.click();
    expect(opened).toBe(`/w/${world.relay.workspace}?session=${first}`);
    await other.goto(new URL(opened ?? '', world.relay.url).href);
    await expect.poll(() => isActive(other, 0)).toBe('true');
    expect(await isActive(other, 1)).toBe('false');
    expect(new URL(other.url()).search, 'a reload shows what was active last').toBe('');
    await close();
  });

  it('[A5] shows its session in a page that is open and hidden, when it is clicked', async () => {
    const { own, page, close } = await subscribed();
    const [first = ''] = await ids();
    await page.getByRole('button', { name: 'New terminal' }).click();
    await expect.poll(() => isActive(page, 1)).toBe('true');
    const worker = await own.worker(page);
    await worker.hidePages();
    await worker.push(note(first));
    await expect.poll(async () => (await worker.notifications()).length).toBe(1);
    expect(await worker.click()).toEqual({ opened: null, focused: new URL(page.url()).pathname });
    await expect.poll(() => isActive(page, 0)).toBe('true');
    expect(await worker.notifications(), 'closed by the click').toEqual([]);
    await close();
  });
});

describe('the installed page', () => {
  it('[A5] has a manifest of its workspace, with icons that are there', async () => {
    const context = await world.browserContext();
    const page = await openPage(world, { context });
    const link = await page.locator('link[rel=manifest]').getAttribute('href');
    const answer = await fetch(new URL(link ?? '', world.relay.url));
    expect(answer.headers.get('Content-Type')).toBe('application/manifest+json');
    const manifest = (await answer.json()) as { icons: { src: string }[] };
    const place = `/w/${world.relay.workspace}`;
    expect(manifest).toMatchObject({ id: place, start_url: place, scope: place, display: 'standalone' });
    for (const { src } of manifest.icons) {
      const icon = await fetch(new URL(src, world.relay.url));
      expect([icon.status, icon.headers.get('Content-Type')]).toEqual([200, 'image/png']);
    }
    const tools = await context.newCDPSession(page);
    expect((await tools.send('Page.getAppManifest')).errors).toEqual([]);
    const { installabilityErrors } = await tools.send('Page.getInstallabilityErrors');
    // Profiles of tests leave nothing behind, so nothing can be installed in them.
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito']);
    await context.close();
  });

  it('[A5] has a service worker that handles no requests, caches nothing and may load nothing', async () => {
    const answer = await fetch(`${world.pageUrl}/service-worker.js`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'service-worker-allowed': new URL(world.pageUrl).pathname,
      'content-security-policy': "default-src 'none'",
    });
    expect(await answer.text()).not.toMatch(/addEventListener\(.fetch|onfetch|caches\b|importScripts/);
    for (const file of ['service-worker.js', 'manifest.webmanifest'])
      expect((await fetch(new URL(`/w/a.b/${file}`, world.relay.url))).status).toBe(404);
  });
});
