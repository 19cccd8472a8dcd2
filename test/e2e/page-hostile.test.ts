/** Output that takes long to parse: the page stays usable while it shows it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Records the longest time in which the page did nothing else. */
function watchStalls(page: Page): Promise<void> {
  return page.evaluate(() => {
    const watched = window as unknown as { longestMs: number };
    watched.longestMs = 0;
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      watched.longestMs = Math.max(watched.longestMs, now - last);
      last = now;
    }, 10);
  });
}

const longestStall = (page: Page) =>
  page.evaluate(() => Math.round((window as unknown as { longestMs: number }).longestMs));

/** Parsed at once, each of them takes seconds. */
const COSTLY: Readonly<Record<string, string>> = {
  resets: String.raw`\033c`,
  repetitions: String.raw`a\033[99999b`,
  scrolling: String.raw`\033[999T\033[999S`,
};

it.each(Object.entries(COSTLY))('[SEC8] output of many %s does not stop the page', async (name, sequence) => {
  const page = await openTerminal(world);
  const terminal = terminalOf(page);
  await watchStalls(page);
  const print = `awk 'BEGIN { for (i = 0; i < 12000; i++) printf "${sequence}" }'`;
  await terminal.types(`${print}; clear; echo ${name}-$((1+1))\n`);
  await terminal.shows(new RegExp(`^${name}-2$`, 'm'), 60_000);
  // A step takes a tenth of a second or two, and the machine may be busy. At once, it was over two seconds.
  expect(await longestStall(page)).toBeLessThan(1000);
  await page.close();
});
