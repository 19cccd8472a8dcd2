/**
 * Programs that people run, with emoji in what they show: everything is in its column, also after a reload, and keys do
 * what they should.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onPath, unlessMissing } from '../support/on-path.ts';
import { columnsOf } from '../support/page-columns.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

const vim = onPath('vim');
const fzf = onPath('fzf');
const btop = onPath('btop');

const CELLS = ['passed ✅', 'failed ❌', 'warning ⚠️', 'by 👩‍💻 in 🇩🇪', '日本語', 'plain'];
const WIDTH = 24;

let world: World;
let folder: string;
beforeAll(async () => {
  world = await World.open();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-programs-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world[Symbol.asyncDispose]();
});

opensTerminals(() => world);

function file(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  return path;
}

/** As coding agents print one: borders of lines, cells filled up by string-width. The first line is a ruler. */
function table(): string[] {
  const border = (left: string, right: string) => `${left}${'─'.repeat(WIDTH + 2)}${right}`;
  const rows = CELLS.map((cell) => `│ ${cell}${' '.repeat(WIDTH - stringWidth(cell))} │`);
  return [`${' '.repeat(WIDTH + 3)}│`, border('╭', '╮'), ...rows, border('╰', '╯')];
}

describe('in the page', () => {
  it('[T1] a table with emoji has straight borders, also after a reload', async () => {
    const terminal = terminalOf(page);
    await terminal.types(`clear; cat ${file('table', [...table(), 'ends'])}\n`);
    await terminal.shows(/^ends$/m);
    const straight = CELLS.map(() => [0, WIDTH + 3]);
    expect(await columnsOf(page, '│', WIDTH + 3)).toEqual(straight);
    await page.reload();
    await terminal.shows(/^ends$/m);
    expect(await columnsOf(page, '│', WIDTH + 3)).toEqual(straight);
  });

  it.skipIf(vim === undefined)(
    `[T1] vim shows and edits a line with emoji, also after a reload${unlessMissing('vim', vim)}`,
    async () => {
      const terminal = terminalOf(page);
      const lines = ['0123456789|', '🚀 up|', '✅❌|', '日本語|', 'é 🎉|'];
      const edited = file('edited', lines);
      await terminal.types(`LC_ALL=C.UTF-8 vim -u NONE -N -n ${edited}\n`);
      await terminal.shows(/^é 🎉\|$/mu);
      const bars = lines.slice(1).map((line) => [stringWidth(line) - 1]);
      expect(await columnsOf(page, '|', 10)).toEqual(bars);
      await page.reload();
      await terminal.shows(/^é 🎉\|$/mu);
      expect(await columnsOf(page, '|', 10)).toEqual(bars);
      await terminal.typesBlindly('jf|i more');
      await page.keyboard.press('Escape');
      await terminal.shows(/^🚀 up more\|$/mu);
      await terminal.typesBlindly(':wq\n');
      await terminal.prompts();
      expect(readFileSync(edited, 'utf8').split('\n')[1]).toBe('🚀 up more|');
    },
  );

  it.skipIf(fzf === undefined)(
    `[T1] fzf finds and prints a line with emoji, also after a reload${unlessMissing('fzf', fzf)}`,
    async () => {
      const terminal = terminalOf(page);
      const choices = file('choices', ['🚀 launch', '✅ check', '日本語 text', 'plain']);
      await terminal.types(`clear; LC_ALL=C.UTF-8 fzf --reverse < ${choices}\n`);
      await terminal.shows(/^ {2}plain$/m);
      await page.reload();
      await terminal.shows(/^ {2}plain$/m);
      await terminal.typesBlindly('chk');
      await terminal.shows(/^> ✅ check$/mu);
      await page.keyboard.press('Enter');
      await terminal.shows(/^✅ check$/mu);
    },
  );

  it.skipIf(btop === undefined)(
    `[T1] btop draws its boxes, also after a reload, and quits${unlessMissing('btop', btop)}`,
    async () => {
      const terminal = terminalOf(page);
      // Its settings are written to the home directory.
      await terminal.types(`HOME=${folder} LC_ALL=C.UTF-8 btop --utf-force\n`);
      const boxes = async () => {
        await terminal.shows(/cpu.*╮$/m);
        const rows = (await terminal.screen()).split('\n').filter((row) => /^[│╭╰]/.test(row));
        return rows.filter((row) => !/[│╮╯]$/.test(row));
      };
      // It draws again and again, and a screen may be read while it does.
      await expect.poll(boxes).toEqual([]);
      await page.reload();
      await expect.poll(boxes).toEqual([]);
      await terminal.typesBlindly('q');
      await terminal.prompts();
    },
  );
});
