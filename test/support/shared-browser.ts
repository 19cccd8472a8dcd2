/**
 * One browser for all test files of a process, launched when it is first needed. It ends with the process. Each story
 * gets its own profile (a context) in it.
 */
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';

let browser: Promise<Browser> | undefined;

export function sharedBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

async function launch(): Promise<Browser> {
  const launched = await launchChromium();
  // One that was killed is not used again.
  launched.once('disconnected', () => {
    browser = undefined;
  });
  return launched;
}
