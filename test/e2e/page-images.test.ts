/** Images that programs print are drawn in the page, and are still there after a reload, elsewhere and later. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { drawnImage, isDrawnAt } from '../support/page-images.ts';
import { openPage } from '../support/page-story.ts';
import { png } from '../support/png.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensTerminals, page } from './watched-page.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const RED = '255,0,0';
const BLUE = '0,0,255';

/** 120 × 60 pixels: 12 columns and 3 rows. */
const SIXEL = `\x1bPq"1;1;120;60#1;2;100;0;0#1${'!120~-'.repeat(10)}\x1b\\`;
/** 200 × 100 pixels: 20 columns and 5 rows. */
const FILE = `\x1b]1337;File=inline=1;name=Li4vLi4vZXZpbA==:${png(200, 100, [0, 0, 255])}\x07`;

let world: World;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-images-'));
  writeFileSync(join(home, 'pictures'), `\r\n${SIXEL}\r\n${FILE}\r\n`);
  writeFileSync(join(home, 'waiting'), SIXEL.replace('-\x1b\\', '\x1b\\'));
  world = await World.open({ home, agentFlags: ['--state-dir', join(home, 'state')] });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

opensTerminals(() => world);

/** Where both are, relative to the row that names them. */
async function places(where: Page) {
  const lines = (await terminalOf(where).screen()).split('\n');
  const named = lines.findIndex((line) => line.startsWith('pictures:'));
  const place = async (colour: string) => {
    const drawn = await drawnImage(where, colour);
    return drawn === null ? null : { below: drawn.row - named, rows: drawn.rows, left: drawn.left };
  };
  return { red: await place(RED), blue: await place(BLUE) };
}

/** Whether the code that draws images was loaded. */
const hasCode = () =>
  page.evaluate(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/image-layer')),
  );

const BOTH = { red: { below: 1, rows: 3, left: 0 }, blue: { below: 5, rows: 5, left: 0 } };

describe('images', () => {
  it('[T5] [OU22] are drawn where they were printed, also after a reload and on a phone', async () => {
    expect(await hasCode()).toBe(false);
    await terminalOf(page).types(`printf pictures:; cat ${home}/pictures\n`);
    await expect.poll(() => places(page)).toEqual(BOTH);
    expect(await hasCode()).toBe(true);

    await page.reload();
    await expect.poll(() => places(page)).toEqual(BOTH);

    await using context = await world.browserContext(PHONE);
    const phone = await openPage(world, { context });
    await expect.poll(() => places(phone)).toEqual(BOTH);
  });

  it('[T5] [OU22] are in the history after the agent was restarted', async () => {
    await terminalOf(page).types(`printf pictures:; cat ${home}/pictures\n`);
    await expect.poll(() => places(page)).toEqual(BOTH);
    await terminalOf(page).types('seq 99\n');
    await terminalOf(page).shows(/^99\n[#$]$/m);
    await expect.poll(() => drawnImage(page, BLUE)).toBeNull();

    await world.restartAgent();
    await terminalOf(page).shows(/new shell below/);
    await page.reload();
    await terminalOf(page).shows(/new shell below/);
    await expect
      .poll(async () => {
        await page.keyboard.press('Shift+PageUp');
        return places(page);
      })
      .toEqual(BOTH);
  });

  it('[T5] do not cover the cursor of a program that waits', async () => {
    await terminalOf(page).types(`clear; cat ${home}/waiting; read x\n`);
    // The image has three rows, and the cursor is in the first column of the last one.
    const drawn = () =>
      Promise.all([
        isDrawnAt(page, RED, { row: 1, x: 2 }),
        isDrawnAt(page, RED, { row: 2, x: 2 }),
        isDrawnAt(page, RED, { row: 2, x: 40 }),
      ]);
    await expect.poll(drawn).toEqual([true, false, true]);
    await terminalOf(page).typesBlindly('\n');
  });
});
