/** One browser per test file, launched when it is first needed. Each story gets its own profile (a context) in it. */
import type { Browser } from 'playwright-core';
import { afterAll } from 'vitest';
import { launchChromium } from './chromium.ts';

/** Called once at the top of a file; the browser closes with it. */
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
