/**
 * A screen that the page restores from a snapshot: an interrupted sequence continues, and nothing of the old screen
 * remains.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { endSessions, openPage } from '../support/page-story.ts';
import { RecordingProgram } from '../support/recording-program.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());
afterEach(() => endSessions(world));

/** More output than the agent keeps, so that a returning client gets a screen. */
const MUCH = 'much more than is kept\r\n'.repeat(100_000);

it('[D2] a sequence that the snapshot cut is completed by what follows, not printed', async () => {
  const client = await world.client();
  using program = await RecordingProgram.start(client);
  const page = await openPage(world);
  const terminal = terminalOf(page);
  for (const [begun, rest, shown] of [
    ['\x1b[3', '1mRED', 'RED'],
    ['\x1b]0;ti', 'tle\x07AFTER', 'AFTER'],
    ['\x1b', '[4mUNDER', 'UNDER'],
  ]) {
    await program.prints(`\x1b[0m\x1b[2J\x1b[Hbefore ${begun}`);
    await terminal.shows(/^before$/m);
    await page.reload();
    await terminal.shows(/^before$/m);
    await program.prints(`${rest}\r\ndone`);
    await terminal.shows(/^done$/m);
    expect((await terminal.screen()).split('\n')[0]).toBe(`before ${shown}`);
  }
});

it('[D5] colours that a program reset meanwhile are reset with the screen', async () => {
  const client = await world.client();
  using program = await RecordingProgram.start(client, 'Colours');
  await RecordingProgram.start(client, 'Other');
  const page = await openPage(world);
  const terminal = terminalOf(page);
  /** Of the word that is printed in colour 1, and of what is behind it. */
  const colours = () =>
    page.evaluate(() => {
      const panel = '[role=tabpanel]:not([hidden])';
      const word = document.querySelector(`${panel} .xterm-fg-1`);
      const behind = document.querySelector(`${panel} .xterm-scrollable-element`);
      if (word === null || behind === null) throw new Error('no coloured word');
      return [getComputedStyle(word).color, getComputedStyle(behind).backgroundColor];
    });
  await page.getByRole('tab', { name: 'Colours' }).click();
  await program.prints('\x1b[31mred\x1b[0m\r\nready');
  await terminal.shows(/^ready$/m);
  const before = await colours();
  await program.prints('\x1b]4;1;#00ff80\x07\x1b]11;#203040\x07\r\nchanged');
  await terminal.shows(/^changed$/m);
  await expect.poll(colours).toEqual(['rgb(0, 255, 128)', 'rgb(32, 48, 64)']);

  await page.getByRole('tab', { name: 'Other' }).click();
  await program.prints(`\x1b]104\x07\x1b]111\x07${MUCH}\x1b[2J\x1b[H\x1b[31mred\x1b[0m\r\nback`);
  await page.getByRole('tab', { name: 'Colours' }).click();
  await terminal.shows(/^back$/m);
  expect(await colours()).toEqual(before);
});

it('[T2] a keyboard that a program gave back meanwhile is given back with the screen', async () => {
  const client = await world.client();
  using program = await RecordingProgram.start(client, 'Keys');
  await RecordingProgram.start(client, 'Other');
  const page = await openPage(world);
  const terminal = terminalOf(page);
  const press = async (key: string) => {
    await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
    await page.keyboard.press(key);
  };
  await page.getByRole('tab', { name: 'Keys' }).click();
  await program.prints('\x1b[>1u\x1b[>4;2mready');
  await terminal.shows(/^ready$/m);
  await press('Escape');
  await program.got('\x1b[27u');

  await page.getByRole('tab', { name: 'Other' }).click();
  await program.prints(`\x1b[<u\x1b[>4m${MUCH}\x1b[2J\x1b[Hback`);
  await page.getByRole('tab', { name: 'Keys' }).click();
  await terminal.shows(/^back$/m);
  await press('Escape');
  await press('Shift+Enter');
  await program.got('\r');
  expect(program.typed).toBe('\x1b[27u\x1b\r');
});
