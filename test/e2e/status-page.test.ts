/** The status page in a real browser: what it shows, to whom, and that it is accessible. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeadlessClient } from '../support/headless-client.ts';
import { barriersOf, complaintsOf } from '../support/page-story.ts';
import { World } from '../support/world.ts';

let world: World;
let client: HeadlessClient;
beforeAll(async () => {
  world = await World.open();
  client = await world.client();
});
afterAll(() => world[Symbol.asyncDispose]());

const address = (fragment = '') =>
  new URL(`/status/${world.relay.workspace}${fragment}`, world.relay.url).href;

async function statusPage(role?: 'operator' | 'viewer', scheme: 'dark' | 'light' = 'dark'): Promise<Page> {
  const context = await world.browserContext({ colorScheme: scheme });
  const page = await context.newPage();
  await page.goto(address(role === undefined ? '' : `#token=${await world.relay.token(role)}`));
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

const figure = (page: Page, term: string) =>
  page.locator('dl > div', { hasText: term }).locator('dd').textContent();
const headline = (page: Page) => page.getByRole('heading', { level: 1 }).textContent();

describe('the status page', () => {
  it('shows nothing about a workspace without a credential, except that the relay answers', async () => {
    const page = await statusPage();
    expect(await headline(page)).toBe('Sign in to see the status');
    expect(await page.locator('body').textContent()).not.toMatch(/Sessions|Clients/);
    await page.context().close();
  });

  it('shows machine, sessions, clients and versions, signed in with the same link as the terminals', async () => {
    const name = '<img src=x onerror=alert(1)>';
    await client.client.create({ name, cols: 80, rows: 24, command: 'cat' });
    const page = await statusPage('operator');
    const complaints = complaintsOf(page);
    expect(page.url(), 'the token does not stay in the address').toBe(address());
    expect(await headline(page)).toBe('The machine is online');
    expect(await figure(page, 'Sessions running')).toBe('1');
    expect(await figure(page, 'Detached')).toBe('1');
    expect(await figure(page, 'Clients')).toBe('1');
    expect(await figure(page, 'Relay version')).toMatch(/^\d+\.\d+\.\d+/);
    expect(await figure(page, 'Agent version')).toMatch(/^\d+\.\d+\.\d+/);
    await page.getByRole('rowheader', { name, exact: true }).waitFor();
    await page.reload();
    await page.getByRole('rowheader', { name, exact: true }).waitFor();

    await client.client.create({ name: 'second', cols: 80, rows: 24, command: 'cat' });
    await page.getByRole('button', { name: 'Refresh' }).press('Enter');
    await page.getByRole('rowheader', { name: 'second', exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent), 'the keyboard stays').toBe(
      'Refresh',
    );
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('[SEC4] shows a viewer the same except for the version of the agent', async () => {
    const page = await statusPage('viewer');
    expect(await headline(page)).toBe('The machine is online');
    expect(await figure(page, 'Agent version')).toBe('shown to operators');
    await page.context().close();
  });

  it.each(['dark', 'light'] as const)('is accessible, in %s', async (scheme) => {
    const page = await statusPage('operator', scheme);
    expect(await page.locator('#root').getAttribute('data-theme')).toBe(scheme);
    expect(await barriersOf(page)).toEqual([]);
    await page.context().close();
  });

  it('says since when the machine is offline, and still lists its sessions', async () => {
    const page = await statusPage('operator');
    await world.agent.stop();
    await client.until(
      () => client.client.state.name === 'live' && client.client.state.agent.state === 'offline',
    );
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('heading', { name: 'The machine is offline' }).waitFor();
    expect(await page.getByRole('status').textContent()).toMatch(/Offline since (?:.+, )?\d\d:\d\d/);
    expect(await figure(page, 'Agent version')).toBe('offline');
    await page.context().close();
  });

  it('at /status shows the relay only', async () => {
    const page = await (await world.browserContext()).newPage();
    await page.goto(new URL('/status', world.relay.url).href);
    await page.getByRole('heading', { name: 'The relay is running' }).waitFor();
    await page.context().close();
  });
});
