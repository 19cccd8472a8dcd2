/** Hostile output: the page shows it as text, and stays usable while it parses what takes long. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

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

it('[SEC8] wide characters in a window that is narrowed and widened do not stop its terminal', async () => {
  const page = await openTerminal(world);
  const terminal = terminalOf(page);
  // About 8 px are a column. One of the two widths has an odd number of them, and 4 px more are at most one more.
  for (const width of [360, 369]) {
    await page.setViewportSize({ width: 1000, height: 500 });
    await terminal.types(`clear; awk 'BEGIN { for (i = 0; i < 300; i++) printf "一" }'\n`);
    await terminal.shows(/一[#$]$/m);
    await page.setViewportSize({ width, height: 500 });
    // The prompt is cut off.
    await terminal.shows(/^一+$/m);
    await page.keyboard.press('Enter');
    for (const wider of [0, 4, 8, 12]) {
      await page.setViewportSize({ width: width + wider, height: 500 });
      await terminal.types(`echo ${width}-plus-$((${wider}+0))-\n`);
      await terminal.shows(new RegExp(`^${width}-plus-${wider}-$`, 'm'));
    }
  }
  await page.close();
});

it('[SEC8] a line that does not end is announced to screen readers like twenty lines', async () => {
  const page = await openTerminal(world);
  const terminal = terminalOf(page);
  await page.evaluate(() => {
    localStorage.setItem('holdfast/settings', JSON.stringify({ screenReader: true }));
    dispatchEvent(new StorageEvent('storage', { key: 'holdfast/settings' }));
  });
  await page.locator('.live-region').waitFor({ state: 'attached' });
  await terminal.shows(/[#$]$/m);
  // As keys: with a screen reader, xterm takes no inserted text.
  await page.keyboard.type("head -c 100000 /dev/zero | tr '\\0' a; printf '%s' done\r");
  await terminal.shows(/adone[#$]$/m);
  const announced = page.locator('.live-region');
  await expect.poll(() => announced.textContent()).toContain('Too much output');
  // Twenty rows of at most 200 columns, and the sentence.
  expect((await announced.textContent())?.length).toBeLessThan(22 * 200);
  await page.close();
});

describe('hostile output', () => {
  opensTerminals(() => world);

  const POLYGLOT = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\${window.hacked=1}`;

  it('[SEC11] [SEC8] in titles, names, directories and errors is shown as text', async () => {
    const terminal = terminalOf(page);
    const other = await world.client();
    await other.client.create({ cols: 80, rows: 24, name: POLYGLOT, command: '/bin/sh' });
    await terminal.types(
      `mkdir -p '/tmp/<img src=x onerror=alert(1)>'; cd '/tmp/<img src=x onerror=alert(1)>'\n`,
    );
    await terminal.types(`printf '\\033]0;%s\\007' '<img src=x onerror="window.hacked=1">'\n`);
    await page.getByRole('button', { name: 'Sessions' }).click();
    const panel = page.getByRole('dialog', { name: 'Sessions' });
    await panel.getByText(POLYGLOT).waitFor();
    await panel.getByText('/tmp/<img src=x onerror=alert(1)>').waitFor();
    await panel.getByRole('button', { name: `Open ${POLYGLOT}` }).click();
    await page.getByRole('tab', { name: POLYGLOT }).waitFor();
    await terminalOf(page).shows(/[#$]$/m);
    await page.keyboard.press('Alt+Shift+W');
    await page.getByText(`Closed “${POLYGLOT}”.`).waitFor();
    await page.reload();
    await terminalOf(page).shows(/[#$]$/m);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    other[Symbol.dispose]();
  });

  it('[SEC8] with huge counts, endless strings and reports does not stop the page', async () => {
    const terminal = terminalOf(page);
    await terminal.types(
      "for f in b L M S T I Z @ P X; do printf 'x\\033[2147483647%s' $f; done; printf '\\033]0;'; head -c 200000 /dev/zero | tr '\\0' A; printf '\\007\\033[21t'\n",
    );
    await terminal.types('clear; echo alive-$((1+1))\n');
    await terminal.shows(/^alive-2$/m);
  });

  it('of wide and combining characters takes the width that the shell assumes', async () => {
    const terminal = terminalOf(page);
    await terminal.types("clear; printf '漢字|\\ne\\314\\201|\\n'; echo w-$((1+1))\n");
    await terminal.shows(/^w-2$/m);
    // Two cells for each of the first, one for the second and its accent together.
    expect(Math.round((await placeOfBar('漢字|')) / (await placeOfBar('é|')))).toBe(4);
  });
});

/** How far from the left the bar in the row with this text is, in pixels. */
function placeOfBar(text: string): Promise<number> {
  return page.evaluate((text) => {
    const row = [...document.querySelectorAll('[role=tabpanel]:not([hidden]) .xterm-rows > div')].find(
      (row) => row.textContent?.normalize().startsWith(text),
    );
    if (row === undefined) throw new Error(`no row has ${text}`);
    const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      const at = node.data.indexOf('|');
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      return range.getBoundingClientRect().left - row.getBoundingClientRect().left;
    }
    throw new Error('the row has no bar');
  }, text);
}
