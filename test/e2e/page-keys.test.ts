/** Keys of the page send what the program in the terminal has asked for, also after a reload. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

/**
 * Asks for the keyboard, and prints what it gets on a line of its own. `q` ends it, and it gives the keyboard back.
 * Its arguments are what it prints first and last.
 */
const PROGRAM = `
  const [ask, back] = process.argv.slice(2).map((text) => JSON.parse(text));
  process.stdin.setRawMode(true);
  process.stdout.write(ask);
  process.stdin.on('data', (bytes) => {
    const text = bytes.toString();
    if (text === 'q') {
      process.stdout.write(back);
      process.exit();
    }
    console.log('got ' + JSON.stringify(text));
  });
  console.log('ready');
`;

const KITTY = ['\x1b[>1u\x1b[?u', '\x1b[<u'] as const;
const OTHER_KEYS = ['\x1b[>4;2m\x1b[?4m', '\x1b[>4m'] as const;

const KEYS = ['Shift+Enter', 'Control+Enter', 'Enter', 'Control+Backspace', 'Escape', 'Control+c', 'x'];

let world: World;
let folder: string;
beforeAll(async () => {
  world = await World.open();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-keys-'));
  writeFileSync(join(folder, 'keys.cjs'), PROGRAM);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world[Symbol.asyncDispose]();
});

opensTerminals(() => world);

async function starts(arguments_: readonly string[]): Promise<void> {
  const quoted = arguments_.map((text) => `'${JSON.stringify(text)}'`).join(' ');
  await terminalOf(page).types(`clear; ${process.execPath} ${join(folder, 'keys.cjs')} ${quoted}\n`);
  await terminalOf(page).shows(/^ready$/m);
  // The program gets its keys once the page knows that it runs, at most a moment after its output.
  await page
    .getByRole('tab', { name: /Terminal/, selected: true })
    .filter({ hasText: 'node' })
    .waitFor();
}

/** What the program prints for these keys. The character after them is typed last, and only once. */
async function gets(keys: readonly string[], last: string): Promise<unknown[]> {
  await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
  for (const key of keys) {
    const before = (await got()).length;
    await page.keyboard.press(key);
    await expect.poll(async () => (await got()).length).toBe(before + 1);
  }
  await page.keyboard.press(last);
  await terminalOf(page).shows(new RegExp(`^got "${last}"$`, 'm'));
  return (await got()).slice(-keys.length - 1, -1);
}

async function got(): Promise<unknown[]> {
  const screen = await terminalOf(page).screen();
  return [...screen.matchAll(/^got (".*")$/gm)].map(([, text = '']) => JSON.parse(text));
}

describe('keys of the page', () => {
  it('[T2] [U8] are the usual ones for a shell, whatever was printed', async () => {
    const terminal = terminalOf(page);
    await terminal.types("printf '\\033[>31u\\033[>4;2mprinted\\n'\n");
    await terminal.shows(/^printed$/m);
    await terminal.prompts();
    await page.keyboard.type('cat');
    // Ctrl-C makes the kernel drop what nobody has read yet, and an echo is no exception.
    await terminal.shows(/cat$/m);
    await page.keyboard.press('Control+c');
    await terminal.shows(/cat\^C/);
    await terminal.prompts();
    await page.keyboard.type('echo still-$((1+1))');
    await page.keyboard.press('Enter');
    await terminal.shows(/^still-2$/m);
  });

  it('[T2] [U8] [U18] are those of the kitty keyboard protocol while a program wants them, also after a reload', async () => {
    const terminal = terminalOf(page);
    await starts(KITTY);
    const expected = ['\x1b[13;2u', '\x1b[13;5u', '\r', '\x1b[127;5u', '\x1b[27u', '\x1b[99;5u', 'x'];
    // The agent has answered the query, and the page has not.
    await terminal.shows(/^got "\\u001b\[\?1u"$/m);
    expect(await gets(KEYS, 'y')).toEqual(expected);

    await page.reload();
    await terminal.shows(/^got "y"$/m);
    expect(await gets(KEYS, 'z')).toEqual(expected);

    await page.keyboard.press('q');
    await terminal.types('sleep 1000\n');
    await terminal.shows(/sleep 1000$/m);
    await page.keyboard.press('Control+c');
    await terminal.types('cat -v\n');
    await page.keyboard.press('Control+/');
    await page.keyboard.press('Shift+Enter');
    await terminal.shows(/^\^_$/m);
    await page.keyboard.press('Control+c');
    await terminal.types('echo back\n');
    await terminal.shows(/^back$/m);
  });

  it('[T2] [U8] are those of modifyOtherKeys while a program wants them', async () => {
    await starts(OTHER_KEYS);
    await terminalOf(page).shows(/^got "\\u001b\[>4;2m"$/m);
    expect(await gets(KEYS, 'y')).toEqual([
      '\x1b[27;2;13~',
      '\x1b[27;5;13~',
      '\r',
      '\x1b[27;5;127~',
      '\x1b',
      '\x1b[27;5;99~',
      'x',
    ]);
  });

  it('[T2] are reported when they are released, and with their text, if a program wants that', async () => {
    await starts(['\x1b[>31u', '']);
    await page.keyboard.down('a');
    await terminalOf(page).shows(/got "\\u001b\[97;;97u"/m);
    await page.keyboard.up('a');
    await terminalOf(page).shows(/got "\\u001b\[97;1:3u"/m);
  });

  it('[T2] copy a selection, even if a program wants all keys', async () => {
    await starts(['\x1b[>31u', '']);
    const row = page.locator('.xterm-rows > div', { hasText: /^ready\s*$/ });
    const { x = 0, y = 0, height = 0 } = (await row.boundingBox()) ?? {};
    await page.mouse.dblclick(x + 12, y + height / 2);
    await page.evaluate(() => navigator.clipboard.writeText('nothing'));
    await page.keyboard.press('Control+Shift+C');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('ready');
    await terminalOf(page).shows(/got "\\u001b\[57442;5u/m);
  });

  it('[T2] an input method types its text, whatever a program wants', async () => {
    await starts(['\x1b[>31u', '']);
    const browser = await page.context().newCDPSession(page);
    for (const text of ['k', 'か'])
      await browser.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    await browser.send('Input.insertText', { text: '漢' });
    await terminalOf(page).shows(/^got "漢"$/m);
    expect(await got()).toEqual(['漢']);
  });

  it('[T2] a key that follows composed text at once is typed after it', async () => {
    await starts(['\x1b[>1u', '']);
    await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
    await page.evaluate(async () => {
      const area = document.activeElement as HTMLTextAreaElement;
      area.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
      area.value += '漢';
      area.dispatchEvent(new CompositionEvent('compositionupdate', { data: '漢', bubbles: true }));
      // xterm looks at the text in the next task.
      await new Promise((resolve) => setTimeout(resolve));
      area.dispatchEvent(new CompositionEvent('compositionend', { data: '漢', bubbles: true }));
      const enter = { key: 'Enter', code: 'Enter', keyCode: 13, shiftKey: true, bubbles: true };
      area.dispatchEvent(new KeyboardEvent('keydown', enter));
    });
    // The end of what is looked at. A browser may still be composing until the text has arrived.
    await terminalOf(page).shows(/^got "漢/m);
    await page.keyboard.press('Escape');
    await terminalOf(page).shows(/\[27u"$/m);
    expect((await got()).join('')).toBe('漢\r\x1b[27u');
  });
});
