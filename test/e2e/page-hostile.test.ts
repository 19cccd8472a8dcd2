/** Hostile output: the page shows it as text, and goes on drawing while it parses what takes long. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Collects the digits that are alone in the first row, in every picture that the page draws. */
function watchDigits(page: Page): Promise<void> {
  return page.evaluate(() => {
    const watched = window as unknown as { digits: Set<string> };
    watched.digits = new Set();
    const rows = document.querySelector('[role=tabpanel]:not([hidden]) .xterm-rows');
    if (rows === null) throw new Error('the terminal has no rows');
    const look = () => {
      const row = rows.firstElementChild?.textContent?.trim() ?? '';
      if (/^\d$/.test(row)) watched.digits.add(row);
    };
    new MutationObserver(look).observe(rows, { childList: true, subtree: true, characterData: true });
  });
}

const digitsSeen = (page: Page) =>
  page.evaluate(() => [...(window as unknown as { digits: Set<string> }).digits]);

opensTerminals(() => world);

it('[SEC8] costly output does not stop the page: it draws while it parses', async () => {
  const terminal = terminalOf(page);
  await watchDigits(page);
  // A reset takes a quarter of a millisecond. All of them are one write, so that the page gets them in one frame.
  const resets = `awk 'BEGIN { for (i = 0; i < 1360; i++) printf "\\033c%d", i / 170 }'`;
  await terminal.types(
    `${resets} > /tmp/holdfast-resets-$$; cat /tmp/holdfast-resets-$$; rm /tmp/holdfast-resets-$$\n`,
  );
  await terminal.types('clear; echo parsed-$((1+1))\n');
  await terminal.shows(/^parsed-2$/m);
  // Parsed at once, the terminal has drawn none of the states in between.
  expect((await digitsSeen(page)).filter((digit) => digit > '0' && digit < '7')).not.toEqual([]);
});

it('[SEC8] wide characters in a window that is narrowed and widened do not stop its terminal', async () => {
  const terminal = terminalOf(page);
  // About 8 px are a column. One of the two widths has an odd number of them, and 4 px more are at most one more.
  for (const width of [360, 369]) {
    await page.setViewportSize({ width: 1000, height: 500 });
    await expect.poll(columns).toBeGreaterThan(100);
    await terminal.types(`clear; awk 'BEGIN { for (i = 0; i < 300; i++) printf "一" }'\n`);
    await terminal.shows(/一[#$]$/m);
    await page.setViewportSize({ width, height: 500 });
    // The line with the cursor is cut off, and its prompt with it.
    await terminal.shows(/^一{1,30}$/m);
    await page.keyboard.press('Enter');
    await terminal.shows(/^[#$]$/m);
    for (const wider of [0, 4, 8, 12]) {
      await page.setViewportSize({ width: width + wider, height: 500 });
      await terminal.types(`echo ${width}-plus-$((${wider}+0))-\n`);
      await terminal.shows(new RegExp(`^${width}-plus-${wider}-$`, 'm'));
    }
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

it('[SEC8] [OU8] a terminal that xterm fails to resize twice shows the screen of the agent again', async () => {
  const terminal = terminalOf(page);
  await page.setViewportSize({ width: 1000, height: 500 });
  await terminal.types('echo before-$((1+1))\n');
  await terminal.shows(/^before-2$/m);
  // xterm makes the rows of a higher window from these.
  await page.evaluate(() => {
    let failures = 2;
    const Real = Uint32Array;
    window.Uint32Array = class extends Real {
      constructor(length: number) {
        if (failures-- > 0) throw new Error('a defect');
        super(length);
      }
    } as typeof Uint32Array;
  });
  const rows = (await terminal.screen()).split('\n').length;
  await page.setViewportSize({ width: 1000, height: 700 });
  await expect.poll(async () => (await terminal.screen()).split('\n').length).toBeGreaterThan(rows);
  await terminal.shows(/^before-2$/m);
  await terminal.types('echo after-$((1+1))\n');
  await terminal.shows(/^before-2$[\s\S]*^after-2$/m);
  await page.setViewportSize({ width: 1280, height: 720 });
});

/** The width that the shell's terminal has. */
async function columns(): Promise<number | undefined> {
  using client = await world.client();
  return (await client.client.list())[0]?.cols;
}

it('[SEC8] a line that does not end is announced to screen readers like twenty lines', async () => {
  const terminal = terminalOf(page);
  await page.evaluate(() => {
    localStorage.setItem('holdfast/settings', JSON.stringify({ screenReader: true }));
    dispatchEvent(new StorageEvent('storage', { key: 'holdfast/settings' }));
  });
  await page.locator('.live-region').waitFor({ state: 'attached' });
  await terminal.prompts();
  // As keys: with a screen reader, xterm takes no inserted text.
  await page.keyboard.type("head -c 100000 /dev/zero | tr '\\0' a; printf '%s' done\r");
  await terminal.shows(/adone[#$]$/m);
  const announced = page.locator('.live-region');
  await expect.poll(() => announced.textContent()).toContain('Too much output');
  // Twenty rows of at most 200 columns, and the sentence.
  expect((await announced.textContent())?.length).toBeLessThan(22 * 200);
});

describe('hostile output', () => {
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
    await terminalOf(page).prompts();
    await page.keyboard.press('Alt+Shift+W');
    await page.getByText(`Closed “${POLYGLOT}”.`).waitFor();
    await page.reload();
    await terminalOf(page).prompts();
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
