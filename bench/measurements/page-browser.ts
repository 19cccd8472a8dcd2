/** A Chromium whose pages record events, and the product's page in it. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { readable } from '../../test/support/terminal-page.ts';
import type { Holdfast } from '../contenders/holdfast.ts';
import { type PageProbe, probeScript } from './page-probe.ts';

const VIEWPORT = { width: 1200, height: 800 };

/** A separate browser profile whose pages record when `wanted` is painted. */
export async function profile(browser: Browser, wanted = ''): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  await context.addInitScript(probeScript(wanted));
  return context;
}

export async function open(holdfast: Holdfast, context: BrowserContext): Promise<Page> {
  const opened = await context.newPage();
  const { relay } = holdfast;
  const link = new URL(`/w/${relay.workspace}#token=${await relay.token('operator')}`, relay.url);
  await opened.goto(readable(link.href));
  await opened.waitForFunction(() => globalThis.probe.usableAt !== null);
  return opened;
}

export const probeOf = (opened: Page): Promise<PageProbe> => opened.evaluate(() => globalThis.probe);

export async function closeAll(holdfast: Holdfast): Promise<void> {
  using client = await holdfast.newClient();
  for (const { id } of await client.client.list()) await client.client.close(id);
}
