/**
 * One browser for a process that runs tests, launched when it is first needed. It closes when vitest ends the process.
 * Each story gets its own profile (a context) in it.
 */
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';

/** What vitest runs before it ends a process. Hooks end with their file, and a killed browser leaves its profile. */
interface Worker {
  onCleanup(act: () => Promise<void>): void;
}

let browser: Promise<Browser> | undefined;
let whole = false;

/** Called at the top of a test file whose stories need more than the headless shell (`BrowserOptions.whole`). */
export function needWholeBrowser(): void {
  whole = true;
}

export function sharedBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

async function launch(): Promise<Browser> {
  const launched = await launchChromium({ whole });
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: Worker };
  if (worker === undefined) throw new Error('invariant: only tests share a browser');
  worker.onCleanup(() => launched.close());
  // One that was killed is not used again.
  launched.once('disconnected', () => {
    browser = undefined;
  });
  return launched;
}
