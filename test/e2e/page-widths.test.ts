/** The page gives text as many columns as programs assume, also after a reload, and an edited line is what runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMOJI, WORDS } from '../protocol/terminal/width/measured-texts.ts';
import { columnsOf } from '../support/page-columns.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

const TEXTS_PER_ROW = 10;
const ROWS_PER_SCREEN = 20;

let world: World;
let folder: string;
beforeAll(async () => {
  world = await World.open();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-widths-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await world[Symbol.asyncDispose]();
});

opensTerminals(() => world);

function slices<T>(all: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / length) }, (_, index) =>
    all.slice(index * length, (index + 1) * length),
  );
}

/**
 * Browsers divide Indic conjuncts differently, and so the DOM renderer of xterm, which the page needs for this test,
 * spaces them differently. Their cells are right (same-screen.test.ts).
 */
const { indic: _, ...SPACED_WORDS } = WORDS;

/** Rows of texts; each text is followed by a bar, so that its width can be seen. */
const ROWS = slices([...EMOJI, ...Object.values(SPACED_WORDS).flat()], TEXTS_PER_ROW).map((texts) =>
  texts.map((text) => `x${text}|`).join(''),
);

/** The columns of the bars in a row that takes the widths of string-width. */
function expectedBars(row: string): number[] {
  const bars: number[] = [];
  for (let at = row.indexOf('|'); at !== -1; at = row.indexOf('|', at + 1))
    bars.push(stringWidth(row.slice(0, at)));
  return bars;
}

/** The first row of each screen, to learn how wide a cell is. */
const RULER = `${'0123456789'.repeat(4)}|`;

/** The columns in which the page shows the bars, for each row that has some. */
const shownBars = () => columnsOf(page, '|', RULER.length - 1);

describe('text in the page', () => {
  it('[U3] [T1] has the width of string-width, and keeps it over a reload', async () => {
    const terminal = terminalOf(page);
    const screens = slices(ROWS, ROWS_PER_SCREEN);
    for (const [number, rows] of screens.entries()) {
      const file = join(folder, `${number}`);
      writeFileSync(file, [RULER, ...rows, `screen ${number} ends`, ''].join('\n'));
      await terminal.types(`clear; cat ${file}\n`);
      await terminal.shows(new RegExp(`^screen ${number} ends$`, 'm'));
      expect(await shownBars(), `screen ${number}`).toEqual(rows.map(expectedBars));
    }
    await page.reload();
    await terminal.shows(new RegExp(`^screen ${screens.length - 1} ends$`, 'm'));
    expect(await shownBars()).toEqual(screens.at(-1)?.map(expectedBars));
  });

  it('[U3] in a line of bash is edited where it is shown', async () => {
    const terminal = terminalOf(page);
    await terminal.types('LC_ALL=C.UTF-8 PS1="edit\\$ " bash --norc\n');
    // What is typed before it reads would be shown twice.
    await terminal.shows(/^edit\$$/m);
    await terminal.types('echo 🚀✅ deoy 🎉');
    await terminal.shows(/^edit\$ echo 🚀✅ deoy 🎉$/mu);
    for (let left = 0; left < [...'oy 🎉'].length; left++) await page.keyboard.press('ArrowLeft');
    await page.keyboard.insertText('pl');
    await terminal.shows(/^edit\$ echo 🚀✅ deploy 🎉$/mu);
    await page.keyboard.press('Enter');
    await terminal.shows(/^🚀✅ deploy 🎉$/mu);
  });
});
