/** One browser for a test file, launched when it is first needed. Each story has a profile (a context) of its own in it. */
import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { launchChromium } from './chromium.ts';

/** Called once at the top of a file; the browser ends with it. */
export function sharedBrowser(): () => Promise<Browser> {
  let browser: Promise<Browser> | undefined;
  afterAll(async () => {
    await (await browser)?.close();
  });
  return () => {
    browser ??= launchChromium();
    return browser;
  };
}
