/**
 * A browser in which a page that is not in front is really hidden: its timers slow down, as they do for people. Playwright makes every page of
 * its own believe that it is looked at, and starts Chromium with such slowing turned off.
 */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

import { launchChromium } from './chromium.ts';
import { freePort } from './free-port.ts';

/** From then on timers of a hidden page ring once a minute; Chromium's own patience is five minutes. */
const SLOWED_AFTER_S = 5;
const KEEPS_PAGES_AWAKE = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
];

export class HidingBrowser implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly #browsers: readonly Browser[];

  private constructor(context: BrowserContext, browsers: readonly Browser[]) {
    this.context = context;
    this.#browsers = browsers;
  }

  static async start(): Promise<HidingBrowser> {
    const port = await freePort();
    const launched = await launchChromium({
      args: [
        `--remote-debugging-port=${port}`,
        `--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/${SLOWED_AFTER_S}`,
      ],
      ignoreDefaultArgs: KEEPS_PAGES_AWAKE,
    });
    const connected = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
    const [context] = connected.contexts();
    if (context === undefined) throw new Error('the browser has no profile');
    return new HidingBrowser(context, [connected, launched]);
  }

  /** Puts another tab in front of it; resolves when the page knows. */
  async hide(page: Page): Promise<void> {
    const other = await this.context.newPage();
    await other.bringToFront();
    await page.waitForFunction(() => document.visibilityState === 'hidden', undefined, { polling: 100 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const browser of this.#browsers) await browser.close();
  }
}
