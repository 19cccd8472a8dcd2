/** Settings and defaults: keys of a Mac, contrast, and the button that Enter presses. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endSessions, openTerminal, untilRuns } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(() => endSessions(world));

describe('on a Mac', () => {
  async function openOnMac(): Promise<Page> {
    const context = await world.browserContext();
    await context.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'platform', { get: () => 'MacIntel' }),
    );
    return openTerminal(world, { context });
  }

  /** As a German keyboard of a Mac reports it. */
  async function pressWithOption(page: Page, code: string, text: string, shift = 0): Promise<void> {
    const keyboard = await page.context().newCDPSession(page);
    const place = code.charCodeAt(code.length - 1);
    const key = { code, key: text, modifiers: 1 + shift, windowsVirtualKeyCode: place };
    await keyboard.send('Input.dispatchKeyEvent', { type: 'keyDown', text, ...key });
    await keyboard.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
  }

  it('[U4] Option types @ | { ~ and \\ as the keyboard layout says', async () => {
    const page = await openOnMac();
    const terminal = terminalOf(page);
    await terminal.types("printf '<%s>\\n' '");
    await pressWithOption(page, 'KeyL', '@');
    await pressWithOption(page, 'Digit7', '|');
    await pressWithOption(page, 'Digit8', '{');
    await pressWithOption(page, 'KeyN', '~');
    await pressWithOption(page, 'Digit7', '\\', 8);
    await page.keyboard.type("'\r");
    await terminal.shows(/^<@\|\{~\\>$/m);
    await page.context().close();
  });

  it('[U4] Option sends Escape first if the user has chosen so', async () => {
    const page = await openOnMac();
    const terminal = terminalOf(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Use Option as Meta key').check();
    await page.keyboard.press('Escape');
    await terminal.types('cat -v\n');
    await untilRuns(world, 'cat');
    await pressWithOption(page, 'KeyL', '@');
    await page.keyboard.press('Enter');
    await terminal.shows(/^\^\[l$/m);
    await page.context().close();
  });

  it('[U4] the setting for Option appears only there', async () => {
    const page = await openTerminal(world);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Theme').waitFor();
    expect(await page.getByLabel('Use Option as Meta key').count()).toBe(0);
    await page.context().close();
  });
});

describe('contrast', () => {
  /** Every foreground of sixteen on every background, behind a frame as in mc. */
  const PAIRS = 'for b in 40 41 42 43 44 45 46 47 100 101 102 103 104 105 106 107; do for f in ';
  const FOREGROUNDS = '30 31 32 33 34 35 36 37 90 91 92 93 94 95 96 97';
  const PRINT = `${PAIRS}${FOREGROUNDS}; do printf "\\033[$f;$b"m"\\342\\224\\202x\\033[m"; done; echo; done; echo do""ne\n`;

  /** The pair of text and background with the lowest contrast in the terminal. */
  const weakest = (page: Page) =>
    page.evaluate(() => {
      const luminance = (colour: string) => {
        const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? [])
          .map((part) => Number(part) / 255)
          .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ratios = [...document.querySelectorAll('.xterm-rows span')]
        .filter((span) => /^│?x$/.test(span.textContent ?? ''))
        .map((span) => {
          const { color, backgroundColor } = getComputedStyle(span);
          const [light = 0, dark = 0] = [luminance(color), luminance(backgroundColor)].sort((a, b) => b - a);
          return { ratio: (light + 0.05) / (dark + 0.05), color, backgroundColor };
        })
        .sort((a, b) => a.ratio - b.ratio);
      return { pairs: ratios.length, ...ratios[0] };
    });

  it("[U6] every combination of a program's colours is readable, in every theme", async () => {
    const context = await world.browserContext({ viewport: { width: 1280, height: 800 } });
    const page = await openTerminal(world, { context });
    await terminalOf(page).types(PRINT);
    await terminalOf(page).shows(/^done$/m);
    expect((await weakest(page)).pairs).toBe(256);
    await page.getByRole('button', { name: 'Settings' }).click();
    for (const theme of ['dark', 'light', 'slate', 'sand', 'contrast']) {
      await page.getByLabel('Theme').selectOption(theme);
      await page.locator(`.holdfast[data-theme=${theme}]`).waitFor();
      await expect
        .poll(async () => (await weakest(page)).ratio, { message: theme })
        .toBeGreaterThanOrEqual(4.5);
    }
    await page.context().close();
  });
});

describe('the paste confirmation', () => {
  const TWO_LINES = 'first\nsecond\n';

  /** The buttons by name, and whether each is filled with the accent colour. */
  const filled = (page: Page) =>
    page.getByRole('dialog').evaluate((dialog) => {
      const accent = getComputedStyle(dialog).getPropertyValue('--accent').trim();
      const probe = dialog.appendChild(document.createElement('i'));
      probe.style.color = accent;
      const { color } = getComputedStyle(probe);
      probe.remove();
      return [...dialog.querySelectorAll('.dialog-buttons button')]
        .filter((button) => getComputedStyle(button).backgroundColor === color)
        .map((button) => button.textContent);
    });

  it('[U19] highlights the button that Enter presses, and no other', async () => {
    const context = await world.browserContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await openTerminal(world, { context });
    const terminal = terminalOf(page);
    await terminal.types('cat\n');
    await untilRuns(world, 'cat');
    await page.evaluate((text) => navigator.clipboard.writeText(text), TWO_LINES);
    const question = page.getByRole('dialog', { name: 'Paste 2 lines?' });

    await page.keyboard.press('Control+Shift+V');
    await question.waitFor();
    await expect.poll(() => filled(page)).toEqual(['Cancel']);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'hidden' });

    await page.keyboard.press('Control+Shift+V');
    await question.waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => filled(page)).toEqual(['Paste']);
    await page.keyboard.press('Enter');
    // Once as it is typed and once as cat repeats it: pasted only the second time.
    await terminal.shows(/second[\s\S]*second/);
    expect((await terminal.screen()).match(/first/g)).toHaveLength(2);
    await page.context().close();
  });
});
