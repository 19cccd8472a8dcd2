/** A login in a real browser: it lasts over nights, holds nothing worth stealing, and ends when it should. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endSessions, openTerminal } from '../support/page-story.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(() => endSessions(world));

const jtiOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

async function openWith(token: string): Promise<Page> {
  const page = await (await world.browserContext()).newPage();
  await page.goto(readable(`${new URL(`/w/${world.relay.workspace}`, world.relay.url)}#token=${token}`));
  return page;
}

async function revoke(token: string): Promise<void> {
  await fetch(new URL('/api/workspaces/test/revocations', world.relay.url), {
    method: 'POST',
    headers: await world.relay.bearer('operator'),
    body: JSON.stringify({ jti: jtiOf(token) }),
  });
}

/** What this browser keeps of the login; the key as the browser describes it. */
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
  it('[X11] lasts over a reload long after the cookie has ended, and over a cut', async () => {
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

  it('[SEC16] [X11] keeps a key that nobody can read, and nothing that opens anything', async () => {
    const token = await world.relay.token('operator');
    const page = await openWith(token);
    await terminalOf(page).shows(/[#$]$/m);
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

  it('[X11] [F25] ends with its token: the page says so, below a screen that stays readable', async () => {
    const page = await openWith(await world.relay.mint({ role: 'operator', lifetimeSeconds: 15 }));
    await terminalOf(page).shows(/[#$]$/m);
    await page.getByText('The token has expired.').first().waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'This terminal needs a link' }).waitFor();
    await page.context().close();
  }, 60_000);

  it('[X11] [GT8] ends when its token is revoked, though it could be renewed', async () => {
    const token = await world.relay.token('operator');
    const page = await openWith(token);
    await terminalOf(page).shows(/[#$]$/m);
    await revoke(token);
    await page.getByText('The token has been revoked.').first().waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'This terminal needs a link' }).waitFor();
    await page.context().close();
  });

  it('[X11] ends by logging out: key and renewal are gone, and so is the cookie', async () => {
    const page = await openTerminal(world);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'This terminal needs a link' }).waitFor();
    expect(await storedLogin(page)).toBeNull();
    expect(await page.context().cookies()).toEqual([]);
    await page.context().close();
  });

  it('[X11] is the same for the status page', async () => {
    const page = await openTerminal(world);
    await page.context().clearCookies();
    await page.goto(new URL('/status/test', world.relay.url).href);
    await page.getByRole('heading', { name: 'The machine is online' }).waitFor();
    await page.context().close();
  });
});
