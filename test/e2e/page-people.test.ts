/** Who else is here: on tabs, in the sessions panel, above a terminal of another size, over HTTP and on the command line. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientRole } from '../../protocol/roles.ts';
import { DeskTerminal, holdfast } from '../support/holdfast-command.ts';
import { barriersOf, complaintsOf, tabsOf } from '../support/page-story.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let world: World;
let anna: Page;
let complaints: string[];
beforeAll(async () => {
  world = await World.open();
  anna = await opens('Anna Berg', 'operator', { viewport: { width: 1200, height: 700 } });
  complaints = complaintsOf(anna);
  await terminalOf(anna).prompts();
});
afterAll(() => world[Symbol.asyncDispose]());

const tokenOf = (name: string | undefined, role: ClientRole) =>
  world.relay.mint({
    role,
    workspace: world.relay.workspace,
    lifetimeSeconds: 3600,
    ...(name === undefined ? {} : { name }),
  });

async function opens(
  name: string | undefined,
  role: ClientRole,
  options: Parameters<World['browserContext']>[0] = {},
): Promise<Page> {
  const page = await (await world.browserContext(options)).newPage();
  const address = new URL(`/w/${world.relay.workspace}`, world.relay.url);
  await page.goto(readable(`${address}#token=${await tokenOf(name, role)}`));
  return page;
}

const tab = (page: Page) => page.getByRole('tab', { name: 'Terminal 1' });
const badge = (page: Page) => tab(page).locator('.tab-people');
const describes = (page: Page, sentence: string | null) =>
  expect.poll(() => tab(page).getAttribute('aria-description')).toBe(sentence);

describe('people who watch the same session', () => {
  it('[J6] see each other on the tab and in the panel, and whose window sets the size, until they leave', async () => {
    const carl = await opens('Carl', 'viewer', PHONE);
    await terminalOf(carl).prompts();
    await describes(anna, 'Also here: Carl (viewer)');
    await describes(carl, 'Also here: Anna Berg');
    expect([await badge(anna).textContent(), await badge(carl).textContent()]).toEqual(['C', 'AB']);
    expect(await tab(anna).getAttribute('title')).toBe('Terminal 1\nAlso here: Carl (viewer)');
    // The name of the tab stays that of the session.
    expect([await tabsOf(anna), await tabsOf(carl)]).toEqual([['[Terminal 1]'], ['[Terminal 1]']]);
    await carl.getByText(/^Sized for Anna Berg’s window: \d+ × \d+/).waitFor();
    for (const page of [anna, carl]) await page.getByRole('button', { name: 'Sessions' }).click();
    await anna.getByText('Here: you, Carl (viewer)').waitFor();
    await carl.getByText('Here: Anna Berg, you').waitFor();
    expect(await carl.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    for (const page of [anna, carl]) await page.keyboard.press('Escape');

    // A second window of the same person is the same person, and somebody without a name has none.
    const again = await opens('Carl', 'viewer');
    const nobody = await opens(undefined, 'operator');
    await describes(anna, 'Also here: Carl (viewer), operator');
    expect(await badge(anna).textContent()).toBe('2');
    await describes(again, 'Also here: Anna Berg, operator');
    await nobody.context().close();
    await again.context().close();
    await describes(anna, 'Also here: Carl (viewer)');

    // Not watched while nobody looks.
    await carl.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await describes(anna, null);
    await carl.context().close();
    expect(await badge(anna).count()).toBe(0);
    expect(await barriersOf(anna)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('[J6] are told over HTTP and by the command line', async () => {
    const api = async (name: string, path: string) => {
      const headers = { Authorization: `Bearer ${await tokenOf(name, 'viewer')}` };
      const address = new URL(`/api/workspaces/${world.relay.workspace}/sessions${path}`, world.relay.url);
      return (await fetch(address, { headers })).json();
    };
    const { sessions } = (await api('Carl', '')) as { sessions: { id: string }[] };
    const watched = [{ name: 'Anna Berg', role: 'operator', driving: true }];
    expect(sessions).toMatchObject([{ people: watched }]);
    expect(await api('Anna Berg', `/${sessions[0]?.id}`)).toMatchObject({
      people: [{ ...watched[0], you: true }],
    });
    const env = {
      HOLDFAST_RELAY: world.relay.url.href,
      HOLDFAST_WORKSPACE: world.relay.workspace,
      HOLDFAST_TOKEN: await tokenOf('Carl', 'operator'),
    };
    const { out, err } = await holdfast(['ls'], { env });
    expect(err).toBe('');
    expect(out).toMatch(/WATCHED BY\n.*Anna Berg\n$/);
    using desk = new DeskTerminal(['attach'], env);
    await describes(anna, 'Also here: Carl');
    expect(desk.written).toContain('holdfast: watched by Anna Berg\r\n');
    desk.presses('\x1d');
    expect(await desk.ended).toBe(0);
    await describes(anna, null);
  });
});
