/** A terminal on a touch screen: tapping links, selecting text by a long press, copying. */
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { barriersOf, complaintsOf, endSessions, forget, openPage } from '../support/page-story.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

let page: Page;
let fingers: CDPSession;

async function open(role: 'operator' | 'viewer'): Promise<void> {
  const context = page?.context() ?? (await world.browserContext(PHONE));
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  page = await openPage(world, { context, page, role });
  fingers = await context.newCDPSession(page);
}

beforeEach(async () => {
  await open('operator');
  await terminalOf(page).prompts();
  const complaints = complaintsOf(page);
  return async () => {
    await forget(page, world);
    await endSessions(world);
    // Last: a complaint about this test must not leave its page to the next.
    expect(complaints).toEqual([]);
  };
});

interface Spot {
  readonly x: number;
  readonly y: number;
}

const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: Spot) =>
  fingers.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [at] });

/** The middle of a character of the row that starts with this text. */
async function spot(row: string, column: number): Promise<Spot> {
  const { cols } = await grid();
  const found = page.locator('.xterm-rows:visible > div', { hasText: new RegExp(`^${row}`) }).first();
  const { x = 0, y = 0, height = 0 } = (await found.boundingBox()) ?? {};
  const { width = 0 } = (await page.locator('.xterm-screen:visible').boundingBox()) ?? {};
  return { x: x + ((column + 0.5) * width) / cols, y: y + height / 2 };
}

async function grid(): Promise<{ readonly cols: number }> {
  const { width = 0 } = (await page.locator('.xterm-screen:visible').boundingBox()) ?? {};
  // A row that the tests print is as wide as its number of characters.
  const cell = await page.evaluate(() => {
    const row = [...document.querySelectorAll('[role=tabpanel]:not([hidden]) .xterm-rows > div')].find(
      (row) => row.textContent?.startsWith('ruler'),
    );
    const range = document.createRange();
    range.selectNodeContents(row?.firstElementChild ?? document.body);
    return range.getBoundingClientRect().width / (row?.firstElementChild?.textContent?.length ?? 1);
  });
  return { cols: Math.round(width / cell) };
}

const handle = (end: 'start' | 'end') => page.locator(`.selection-handle[data-end=${end}]:visible`);

async function middleOf(end: 'start' | 'end'): Promise<Spot> {
  const { x = 0, y = 0, width = 0 } = (await handle(end).boundingBox()) ?? {};
  return { x: x + width / 2, y: y + 10 };
}

async function prints(...lines: string[]): Promise<void> {
  await terminalOf(page).types(`clear; printf '%s\\n' ruler ${lines.map((line) => `'${line}'`).join(' ')}\n`);
  await terminalOf(page).shows(new RegExp(`^${lines.at(-1)}`, 'm'));
}

const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

async function longPress(at: Spot): Promise<void> {
  await touch('touchStart', at);
  await handle('end').waitFor();
}

describe('a tap on a link', () => {
  it('[U7] shows the address in a question, and opens it', async () => {
    await page.context().route('https://example.org/**', (route) => route.fulfill({ body: 'there' }));
    await terminalOf(page).types(
      "clear; printf 'ruler\\nhttps://example.org/text\\n\\033]8;;https://example.org/osc\\007shown\\033]8;;\\007\\n'\n",
    );
    await terminalOf(page).shows(/^shown$/m);
    const question = page.getByRole('dialog', { name: 'Open this link?' });
    for (const [row, leads] of [
      ['https', 'https://example.org/text'],
      ['shown', 'https://example.org/osc'],
      ['shown', 'https://example.org/osc'],
    ] as const) {
      const { x, y } = await spot(row, 3);
      await page.touchscreen.tap(x, y);
      await question.getByText(leads, { exact: true }).waitFor();
      expect(await barriersOf(page)).toEqual([]);
      const popup = page.waitForEvent('popup');
      await question.getByRole('button', { name: 'Open' }).tap();
      const other = await popup;
      await other.waitForLoadState();
      expect(other.url()).toBe(leads);
      expect(await other.evaluate(() => window.opener)).toBeNull();
      await other.close();
      await page.bringToFront();
      await question.waitFor({ state: 'detached' });
    }
  });

  it('[U7] opens nothing when cancelled, and no link that must not be opened', async () => {
    const opened: string[] = [];
    page.context().on('page', (other) => opened.push(other.url()));
    await terminalOf(page).types(
      "clear; printf 'ruler\\nhttps://example.org/text\\n\\033]8;;javascript:alert(1)\\007evil\\033]8;;\\007\\n'\n",
    );
    await terminalOf(page).shows(/^evil$/m);
    const question = page.getByRole('dialog', { name: 'Open this link?' });
    const evil = await spot('evil', 1);
    await page.touchscreen.tap(evil.x, evil.y);
    const link = await spot('https', 3);
    await page.touchscreen.tap(link.x, link.y);
    await question.getByRole('button', { name: 'Copy link' }).tap();
    await expect.poll(clipboard).toBe('https://example.org/text');
    await page.touchscreen.tap(link.x, link.y);
    await question.getByRole('button', { name: 'Cancel' }).tap();
    // The terminal had the focus, and has it again.
    await terminalOf(page).types('echo typed-$((1+1))\n');
    await terminalOf(page).shows(/^typed-2$/m);
    expect(opened).toEqual([]);
  });

  it('[U7] in a program that tracks the mouse asks too; any other tap goes to the program', async () => {
    const client = await world.client();
    using program = await RecordingProgram.start(client, 'Mouse');
    await page.getByRole('button', { name: 'Sessions' }).tap();
    await page.getByRole('button', { name: 'Open Mouse' }).tap();
    await program.prints('\x1b[?1003h\x1b[?1006hruler\r\nhttps://example.org/text\r\nbutton\r\n');
    await terminalOf(page).shows(/^button$/m);
    const link = await spot('https', 3);
    await page.touchscreen.tap(link.x, link.y);
    await page.getByRole('dialog', { name: 'Open this link?' }).getByRole('button', { name: 'Cancel' }).tap();
    expect(program.typed).toBe('');
    const button = await spot('button', 2);
    await page.touchscreen.tap(button.x, button.y);
    await program.got('\x1b[<0;3;3m');
    client[Symbol.dispose]();
  });
});

describe('a long press', () => {
  it('[U13] selects a word; handles change the range; Copy copies it', async () => {
    await prints('first line of text', 'second line of text', 'third');
    await longPress(await spot('second', 9));
    await touch('touchEnd');
    const bar = page.getByRole('toolbar', { name: 'Selection' });
    await bar.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);

    // From "line" to the end of that line and to the beginning of the one above.
    const [from, to] = [await middleOf('end'), await spot('second', 18)];
    await touch('touchStart', from);
    for (const x of [from.x + 20, from.x + 40, to.x + 4]) await touch('touchMove', { x, y: from.y });
    await touch('touchEnd');
    const [start, above] = [await middleOf('start'), await spot('first', 6)];
    await touch('touchStart', start);
    await touch('touchMove', { x: above.x - 4, y: start.y - (to.y - above.y) });
    await touch('touchEnd');
    await bar.getByRole('button', { name: 'Copy' }).tap();
    await expect.poll(clipboard).toBe('line of text\nsecond line of text');
    await bar.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.selection-handle:visible').count()).toBe(0);
    // The focus was not moved.
    await terminalOf(page).types('echo on-$((1+1))\n');
    await terminalOf(page).shows(/^on-2$/m);
  });

  it('[U13] and a drag select as far as the finger moves; a tap clears the selection', async () => {
    await prints('one two three four', 'below', 'end');
    await longPress(await spot('one', 5));
    for (const column of [8, 11, 12]) await touch('touchMove', await spot('one', column));
    await touch('touchEnd');
    const bar = page.getByRole('toolbar', { name: 'Selection' });
    await bar.waitFor();
    await bar.getByRole('button', { name: 'Copy' }).tap();
    await expect.poll(clipboard).toBe('two three');
    await longPress(await spot('one', 5));
    await touch('touchEnd');
    await bar.waitFor();
    // Not below the word, where its handles are.
    const { x, y } = await spot('end', 20);
    await page.touchscreen.tap(x, y);
    await bar.waitFor({ state: 'detached' });
    await terminalOf(page).types('echo typed-$((1+1))\n');
    await terminalOf(page).shows(/^typed-2$/m);
  });

  it('[U13] selects a word that continues in the next row, and dragging a handle scrolls', async () => {
    const long = `https://example.org/${'path/'.repeat(20)}end`;
    await prints(long, 'after');
    await longPress(await spot('https', 3));
    await touch('touchEnd');
    await page.getByRole('button', { name: 'Copy' }).tap();
    await expect.poll(clipboard).toBe(long);
    await longPress(await spot('after', 1));
    await touch('touchEnd');
    const before = await middleOf('end');
    await page.keyboard.press('Enter');
    await handle('end').waitFor({ state: 'hidden' });
    expect(before.y).toBeGreaterThan(0);
  });

  it('[U13] selects in a program that tracks the mouse, and sends it nothing', async () => {
    const client = await world.client();
    using program = await RecordingProgram.start(client, 'Mouse');
    await page.getByRole('button', { name: 'Sessions' }).tap();
    await page.getByRole('button', { name: 'Open Mouse' }).tap();
    await program.prints('\x1b[?1049h\x1b[?1000h\x1b[?1006hruler\r\nword here\r\n');
    await terminalOf(page).shows(/^word here$/m);
    await longPress(await spot('word', 1));
    await touch('touchEnd');
    await page.getByRole('button', { name: 'Copy' }).tap();
    await expect.poll(clipboard).toBe('word');
    // The same word again, with handles while the finger is still down.
    await longPress(await spot('word', 1));
    await touch('touchEnd');
    expect(program.typed).toBe('');
    client[Symbol.dispose]();
  });

  it('[U13] offers Paste, but not to viewers', async () => {
    await prints('word here');
    await page.evaluate(() => navigator.clipboard.writeText('echo pasted-$((1+1))'));
    await longPress(await spot('word', 1));
    await touch('touchEnd');
    await page.getByRole('button', { name: 'Paste' }).tap();
    await terminalOf(page).shows(/echo pasted-\$\(\(1\+1\)\)$/m);
    await forget(page, world);
    await open('viewer');
    await terminalOf(page).shows(/^word here$/m);
    await longPress(await spot('word', 1));
    await touch('touchEnd');
    await page.getByRole('button', { name: 'Copy' }).waitFor();
    expect(await page.getByRole('button', { name: 'Paste' }).count()).toBe(0);
  });
});
