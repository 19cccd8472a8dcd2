/** Drives the page as a user would: its tabs, its dialogs, and the errors that the browser reports. */
import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import type { ClientRole } from '../../protocol/roles.ts';
import { readable, terminalOf } from './terminal-page.ts';
import type { World } from './world.ts';

export interface OpenOptions {
  readonly role?: ClientRole;
  readonly context?: BrowserContext;
  /** A page that was used before and then cleared with `forget`. */
  readonly page?: Page | undefined;
  /** The origin of the page, if not the relay itself. */
  readonly origin?: URL;
}

/** Opens the page, logged in; by default in its own browser profile. */
export async function openPage(world: World, options: OpenOptions = {}): Promise<Page> {
  const { role = 'operator', origin = world.relay.url } = options;
  const page = options.page ?? (await (options.context ?? (await world.browserContext())).newPage());
  const address = new URL(`/w/${world.relay.workspace}`, origin);
  await page.goto(readable(`${address}#token=${await world.relay.token(role)}`));
  return page;
}

/**
 * Clears a page so that the next test can use it like a new one. Its process stays and has the script compiled: loading
 * the page there takes half as long as with a new profile.
 */
export async function forget(page: Page, world: World): Promise<void> {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  const { origin } = world.relay.url;
  await page.goto(new URL('/.well-known/security.txt', origin).href);
  await page.evaluate(() => sessionStorage.clear());
  const browser = await context.newCDPSession(page);
  await browser.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await browser.detach();
  await context.clearCookies();
  await context.unrouteAll();
  await page.mouse.move(0, 0);
}

/** Opens the page and waits for a prompt in its terminal. */
export async function openTerminal(world: World, options: OpenOptions = {}): Promise<Page> {
  const page = await openPage(world, options);
  await terminalOf(page).prompts();
  return page;
}

/** The names on the tabs, in order, the active one in brackets. */
export async function tabsOf(page: Page): Promise<string[]> {
  return page
    .getByRole('tab')
    .evaluateAll((tabs) =>
      tabs.map((tab) => (tab.ariaSelected === 'true' ? `[${tab.ariaLabel ?? ''}]` : (tab.ariaLabel ?? ''))),
    );
}

/** Opens another terminal and waits for its prompt. */
export async function newTerminal(page: Page): Promise<void> {
  const count = await page.getByRole('tab').count();
  await page.getByRole('button', { name: 'New terminal' }).click();
  // Until it is selected, the terminal before it is shown.
  await page.getByRole('tab', { selected: true }).and(page.getByRole('tab').nth(count)).waitFor();
  await terminalOf(page).prompts();
}

/** Ends every session of the workspace, so that the next story starts with an empty one. */
export async function endSessions(world: World): Promise<void> {
  const client = await world.client();
  const sessions = await client.client.list();
  await Promise.all(sessions.map(({ id }) => client.client.close(id)));
  await client.client.saveLayout({ tabs: [], active: null });
  client[Symbol.dispose]();
}

/** Resolves when a program of this name is in the foreground of a session, as reported to the page. */
export async function untilRuns(world: World, program: string): Promise<void> {
  const { client } = await world.client();
  for (;;) {
    await client.refresh();
    if ((await client.list()).some(({ foreground }) => foreground === program)) break;
  }
  client.leave();
}

/** Errors that the browser reports: violations of our content security policy, and errors of our script. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content.Security.Policy/i.test(message.text()))
      complaints.push(message.text());
  });
  return complaints;
}

const AXE = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** The serious accessibility violations that axe-core finds: the rule, and the elements concerned. */
export async function barriersOf(page: Page): Promise<string[]> {
  // Evaluated, because our content security policy blocks inline scripts.
  await page.evaluate(AXE);
  // Elements that fade in have low contrast only for a moment, so wait for them. A spinner's animation never ends.
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(): Promise<{
          violations: { id: string; impact: string; nodes: { target: unknown[] }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run();
    // A tab shows the title or the program, which change; its accessible name stays the session's name. [U12]
    const isLabelOfTab = ({ id, nodes }: (typeof violations)[number]) =>
      id === 'label-content-name-mismatch' && nodes.every(({ target }) => /^#tab-/.test(target.join(' ')));
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .filter((violation) => !isLabelOfTab(violation))
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  });
}
