/** Typed, composed and pasted text reaches the program, each character once. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endSessions, forget, openPage } from '../support/page-story.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

let page: Page;
let program: RecordingProgram;
beforeEach(async () => {
  program = await RecordingProgram.start(await world.client(), 'Listening');
  page = await openPage(world, { page });
  await program.prints('\x1b[?2004hready\r\n');
  await terminalOf(page).shows(/^ready$/m);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
  return async () => {
    await forget(page, world);
    program[Symbol.dispose]();
    await endSessions(world);
  };
});

/** As a character per byte, like the record. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');

describe('Ctrl-C', () => {
  it('[U21] and the keys typed right after it reach the program in order, each once', async () => {
    let typed = '';
    for (let i = 0; i < 12; i++) {
      await page.keyboard.type(`wrong${i}`);
      await page.keyboard.press('Control+C');
      await page.keyboard.type(`right${i}\r`);
      typed += `wrong${i}\x03right${i}\r`;
    }
    await program.got('right11\r');
    expect(program.typed).toBe(typed);
  });
});

describe('an input method', () => {
  it('types the composed text once, and no intermediate text', async () => {
    const browser = await page.context().newCDPSession(page);
    const tries = (text: string) =>
      browser.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    for (const text of ['k', 'か', 'かn', 'かん', '漢']) await tries(text);
    expect(program.typed).toBe('');
    await browser.send('Input.insertText', { text: '漢' });
    await program.got(bytes('漢'));
    await page.keyboard.type('x');
    await program.got(bytes('漢x'));
    expect(program.typed).toBe(bytes('漢x'));
  });

  it('types an accented letter for a dead key and a letter', async () => {
    const browser = await page.context().newCDPSession(page);
    await browser.send('Input.imeSetComposition', { text: '´', selectionStart: 1, selectionEnd: 1 });
    await browser.send('Input.insertText', { text: 'é' });
    // xterm reads a composition a moment after its end; no user is faster than that.
    await program.got(bytes('é'));
    await page.keyboard.type('ß');
    await program.got(bytes('éß'));
    expect(program.typed).toBe(bytes('éß'));
  });
});

describe('a paste', () => {
  it('reaches a program with bracketed paste as one block, without a question, and cannot end the brackets', async () => {
    await page.evaluate(() => navigator.clipboard.writeText('one\ntwo \x1b[201~three'));
    await page.keyboard.press('Control+Shift+V');
    await program.got('\x1b[201~');
    expect(program.typed).toBe('\x1b[200~one\rtwo [201~three\x1b[201~');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('of many lines is confirmed there too, and the confirmation can be turned off', async () => {
    const text = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n');
    await page.evaluate((text) => navigator.clipboard.writeText(text), text);
    await page.keyboard.press('Control+Shift+V');
    const question = page.getByRole('dialog', { name: 'Paste 30 lines?' });
    await question.getByText('line 0').waitFor();
    // The safe answer has the focus.
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'hidden' });
    expect(program.typed).toBe('');
    await page.keyboard.press('Control+Shift+V');
    await question.getByLabel('Do not ask again').check();
    await question.getByRole('button', { name: 'Paste', exact: true }).click();
    await program.got('line 29\x1b[201~');
    await page.keyboard.press('Control+Shift+V');
    await expect.poll(() => program.typed.split('line 29\x1b[201~').length).toBe(3);
  });
});
