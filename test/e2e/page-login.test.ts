/** A login in a real browser: it lasts for days, stores nothing worth stealing, and ends when it should. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { barriersOf, endSessions, openTerminal } from '../support/page-story.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

/** Passes while the other tests run. */
const SHORT_LIFE_S = 20;

let world: World;
/** A workspace of its own: the sessions of the other one end with each test. */
let short: World;
let shortPage: Page;
beforeAll(async () => {
  world = await World.open();
  short = await World.open({}, world.relay.another());
  shortPage = await openBriefly(SHORT_LIFE_S);
});
afterAll(async () => {
  await short[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});
afterEach(() => endSessions(world));

const jtiOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

async function openWith(token: string, where = world): Promise<Page> {
  const page = await (await where.browserContext()).newPage();
  await page.goto(readable(`${where.pageUrl}#token=${token}`));
  return page;
}

/** A page whose login ends soon. On a busy machine it may end before there is a terminal; then the next lasts longer. */
async function openBriefly(lifetimeSeconds: number): Promise<Page> {
  const page = await openWith(await short.relay.mint({ role: 'operator', lifetimeSeconds }), short);
  const prompt = page.locator('.xterm-rows > div').filter({ hasText: /^[#$]/ });
  await prompt.or(page.getByText('The token has expired.')).first().waitFor();
  if ((await prompt.count()) > 0) return page;
  await page.context().close();
  return openBriefly(2 * lifetimeSeconds);
}

const linkOf = async (role: 'operator' | 'viewer') =>
  `${world.pageUrl}#token=${await world.relay.token(role)}`;

async function revoke(token: string): Promise<void> {
  await fetch(new URL('/api/workspaces/test/revocations', world.relay.url), {
    method: 'POST',
    headers: await world.relay.bearer('operator'),
    body: JSON.stringify({ jti: jtiOf(token) }),
  });
}

/** What this browser stores of the login; the key as the browser describes it. */
function storedLogin(page: Page) {
  return page.evaluate(async () => {
    const opening = indexedDB.open('holdfast', 1);
    await new Promise((resolve) => {
      opening.onsuccess = resolve;
    });
    const reading = opening.result.transaction('logins').objectStore('logins').get('test');
    await new Promise((resolve) => {
      reading.onsuccess = resolve;
    });
    opening.result.close();
    if (reading.result === undefined) return null;
    const { keys, renewal } = reading.result as { keys: CryptoKeyPair; renewal: string };
    const readable = await crypto.subtle.exportKey('jwk', keys.privateKey).then(
      () => true,
      () => false,
    );
    return { readable, renewal, everything: JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) };
  });
}

describe('a login', () => {
  it('[X11] survives a reload long after the cookie expired, and a network cut', async () => {
    const page = await openTerminal(world);
    await terminalOf(page).types('echo be""fore\n');
    await terminalOf(page).shows(/^before$/m);
    await page.context().clearCookies();
    await page.reload();
    await terminalOf(page).shows(/^before$/m);
    expect(await page.context().cookies()).toHaveLength(1);

    await page.context().clearCookies();
    await world.relay.reset();
    await expect.poll(() => page.context().cookies()).toHaveLength(1);
    await terminalOf(page).types('echo af""ter\n');
    await terminalOf(page).shows(/^after$/m);
    await page.context().close();
  });

  it('[SEC16] [X11] stores a key that scripts cannot read, and nothing that works as a credential', async () => {
    const token = await world.relay.token('operator');
    const page = await openWith(token);
    await terminalOf(page).prompts();
    const login = await storedLogin(page);
    expect(login?.readable).toBe(false);
    expect(login?.everything).not.toContain(token.split('.')[2]);
    const [cookie] = await page.context().cookies();
    for (const text of [cookie?.value ?? '', login?.renewal ?? '']) {
      expect(text.split('.')).toHaveLength(3);
      const answer = await fetch(new URL('/api/workspaces/test/health', world.relay.url), {
        headers: { Authorization: `Bearer ${text}` },
      });
      expect(answer.status).toBe(401);
    }
    await page.context().close();
  });

  it('[X11] [GT8] ends when its token is revoked, although it could be renewed', async () => {
    const token = await world.relay.token('operator');
    const page = await openWith(token);
    await terminalOf(page).prompts();
    await revoke(token);
    await page.getByText('The token has been revoked.').first().waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to this workspace' }).waitFor();
    await page.getByLabel('Link to this workspace').waitFor();
    await page.context().close();
  });

  it('[X11] ends when the user signs out: key, renewal and cookie are deleted', async () => {
    const page = await openTerminal(world);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to this workspace' }).waitFor();
    expect(await storedLogin(page)).toBeNull();
    expect(await page.context().cookies()).toEqual([]);
    await page.getByLabel('Link to this workspace').fill(await linkOf('operator'));
    await page.keyboard.press('Enter');
    await terminalOf(page).prompts();
    await page.context().close();
  });

  it('[U14] that is about to end is announced, and renewed in place with a link', async () => {
    const token = await world.relay.mint({ role: 'operator', lifetimeSeconds: 600 });
    const page = await openWith(token);
    const terminal = terminalOf(page);
    const bar = page.getByRole('region', { name: 'Login' });
    await bar.getByText(/Your login ends at \d\d:\d\d\./).waitFor();
    await terminal.types('echo be""fore\n');
    await terminal.shows(/^before$/m);
    // The foreground program is determined a while later, and a page without a login receives nothing.
    await expect.poll(() => page.getByRole('tab').textContent()).toBe('Terminal 1');
    await page.evaluate(() => Object.assign(window, { isSamePage: true }));

    // Revoked or expired, the relay closes the socket in the same way.
    await revoke(token);
    await bar.getByText('Your login has ended.').waitFor();
    expect(await terminal.screen()).toMatch(/^before$/m);
    await bar.getByLabel('Link to this workspace').fill('https://example.org/');
    await bar.getByRole('button', { name: 'Sign in' }).click();
    await bar.getByText(/another relay, example\.org/).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await bar.getByLabel('Link to this workspace').fill(await linkOf('operator'));
    await page.keyboard.press('Enter');
    await bar.waitFor({ state: 'hidden' });
    await page.locator('.xterm-helper-textarea').focus();
    await terminal.types('echo af""ter\n');
    await terminal.shows(/^before$[\s\S]*^after$/m);
    expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
    await page.context().close();
  });

  it('[U14] that has ended is renewed by a link opened in another tab', async () => {
    const token = await world.relay.token('operator');
    const page = await openWith(token);
    await terminalOf(page).prompts();
    await revoke(token);
    const bar = page.getByRole('region', { name: 'Login' });
    await bar.getByText('Your login has ended.').waitFor();
    const other = await page.context().newPage();
    await other.goto(readable(await linkOf('operator')));
    await terminalOf(other).prompts();
    await other.close();
    // A headless browser hides no tab; this is the event that the first one would get.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await bar.waitFor({ state: 'hidden' });
    await terminalOf(page).types('echo ba""ck\n');
    await terminalOf(page).shows(/^back$/m);
    await page.context().close();
  });

  it('[U14] is made by pasting a link if the browser has none', async () => {
    const page = await (await world.browserContext()).newPage();
    await page.goto(readable(world.pageUrl));
    await page.getByRole('heading', { name: 'Sign in to this workspace' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel('Link to this workspace').fill(await linkOf('operator'));
    await page.keyboard.press('Enter');
    await terminalOf(page).prompts();
    await page.context().close();
  });

  it('[U14] is made by pasting a valid link after an invalid one', async () => {
    const page = await openWith('no.real.token');
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await page.getByLabel('Link to this workspace').fill(await linkOf('operator'));
    await page.keyboard.press('Enter');
    await terminalOf(page).prompts();
    await page.context().close();
  });

  it("[Y3] is made at the relay's own address, which explains what this is and accepts a link", async () => {
    const page = await (await world.browserContext()).newPage();
    await page.goto(world.relay.url.href);
    await page.getByRole('heading', { name: /A terminal in the browser/ }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel('Link to a workspace').fill(readable(await linkOf('operator')));
    await page.keyboard.press('Enter');
    await terminalOf(page).prompts();
    await page.context().close();
  });

  it('[U14] is made at an address without a workspace, which says how to get a link', async () => {
    const page = await (await world.browserContext()).newPage();
    await page.goto(new URL('/nowhere', world.relay.url).href);
    await page.getByRole('heading', { name: 'There is no workspace at this address' }).waitFor();
    await page.getByText(/choose Continue on another device there/).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByLabel('Link to a workspace').fill(readable(await linkOf('operator')));
    await page.keyboard.press('Enter');
    await terminalOf(page).prompts();
    await page.context().close();
  });

  it('[U14] is made on the status page, which keeps what is typed while it refreshes', async () => {
    const page = await (await world.browserContext()).newPage();
    await page.goto(new URL('/status/test#token=no.real.token', world.relay.url).href);
    await page.getByRole('heading', { name: 'Sign in to see the status' }).waitFor();
    await page.getByRole('alert').filter({ hasText: 'token' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    const field = page.getByLabel('Link to this workspace');
    await field.fill('https://example.org/');
    await page.evaluate(() => {
      document.querySelector('main')?.setAttribute('data-old', '');
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.locator('main:not([data-old])').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(/another relay, example\.org/).waitFor();
    expect(await field.inputValue()).toBe('https://example.org/');
    await field.fill(await linkOf('operator'));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The machine is online' }).waitFor();
    expect(await field.count()).toBe(0);
    await page.context().close();
  });

  it('[X11] also works for the status page', async () => {
    const page = await openTerminal(world);
    await page.context().clearCookies();
    await page.goto(new URL('/status/test', world.relay.url).href);
    await page.getByRole('heading', { name: 'The machine is online' }).waitFor();
    await page.context().close();
  });
});

// The last: by now most of its time is over.
it('[X11] [F25] a login ends with its token: the page says so below a screen that stays readable', async () => {
  await shortPage.getByText('The token has expired.').first().waitFor();
  await terminalOf(shortPage).prompts();
  await shortPage.reload();
  await shortPage.getByRole('heading', { name: 'Sign in to this workspace' }).waitFor();
  await shortPage.getByLabel('Link to this workspace').waitFor();
  await shortPage.context().close();
});
