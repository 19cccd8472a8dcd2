/**
 * A browser in which a background page is really hidden, so that its timers are throttled as for real users. Playwright
 * makes all its pages believe that they are visible, and starts Chromium with such throttling turned off.
 */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

import { launchChromium, STEP_WITHIN_MS } from './chromium.ts';
import { freePort } from './free-port.ts';

/** After this long, timers of a hidden page fire once a minute; Chromium's default is five minutes. */
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
      whole: true,
      args: [
        `--remote-debugging-port=${port}`,
        `--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/${SLOWED_AFTER_S}`,
      ],
      ignoreDefaultArgs: KEEPS_PAGES_AWAKE,
    });
    const connected = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
    const [context] = connected.contexts();
    if (context === undefined) throw new Error('the browser has no profile');
    context.setDefaultTimeout(STEP_WITHIN_MS);
    return new HidingBrowser(context, [connected, launched]);
  }

  /** Brings another tab to the front; resolves when the page has noticed. */
  async hide(page: Page): Promise<void> {
    const other = await this.context.newPage();
    await other.bringToFront();
    await page.waitForFunction(() => document.visibilityState === 'hidden', undefined, { polling: 100 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const browser of this.#browsers) await browser.close();
  }
}
