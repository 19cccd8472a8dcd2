/** Commands are marked beside the terminal: what ended how, when, and what can be done with it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriersOf, openPage } from '../support/page-story.ts';
import { readable, terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';
import { opensOneTerminal, opensTerminals, page } from './watched-page.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

let world: World;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-marks-'));
  writeFileSync(join(home, '.bashrc'), "PS1='$ '\n");
  world = await World.open({ shell: '/bin/bash', home, agentFlags: ['--state-dir', join(home, 'state')] });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** What a screen reader says of the marks that are visible, from top to bottom. */
const marksOf = (where: Page) =>
  where
    .getByRole('toolbar', { name: 'Commands' })
    .getByRole('button')
    .evaluateAll((marks) => marks.map(({ ariaLabel }) => ariaLabel ?? ''));

const mark = (where: Page, name: string | RegExp) =>
  where.getByRole('toolbar', { name: 'Commands' }).getByRole('button', { name });

const choose = (where: Page, name: string | RegExp) => where.getByRole('menuitem', { name }).click();
const copied = () => page.evaluate(() => navigator.clipboard.readText());

const THREE = ['seq 3, succeeded', 'ls nowhere, exit code 2', 'printf done, succeeded'];

/** Three commands, of which the second fails and the last prints no newline. */
async function runThree(): Promise<void> {
  for (const line of ['seq 3', 'ls nowhere', 'printf done']) {
    await terminalOf(page).types(`${line}\n`);
    await mark(page, new RegExp(`^${line}, (succeeded|exit)`)).waitFor();
  }
}

describe('the marks of three commands', () => {
  const leftEdge = () => page.locator('.xterm-rows').evaluate((rows) => rows.getBoundingClientRect().left);
  let before: number;
  opensOneTerminal(
    () => world,
    async () => {
      before = await leftEdge();
      await runThree();
    },
  );

  it('[T3] take no column from the terminal', async () => {
    expect(await leftEdge()).toBe(before);
    const [margin, screen] = await page.evaluate(() =>
      ['.mark', '.xterm-screen'].map((name) =>
        document.querySelector(name)?.getBoundingClientRect().toJSON(),
      ),
    );
    expect(margin.right).toBeLessThanOrEqual(screen.left);
  });

  it('[T3] offer the output, the command, its time and its duration', async () => {
    await mark(page, /^ls nowhere/).hover();
    const tip = page.getByRole('tooltip');
    await expect
      .poll(() => tip.textContent())
      .toMatch(/ls nowhere.*exit code 2 · took .+ m?s, at (?:.+, )?\d\d:\d\d/);
    await mark(page, /^seq 3/).click();
    await choose(page, 'Copy output');
    await expect.poll(copied).toBe('1\n2\n3');
    await mark(page, /^printf done/).click();
    await choose(page, 'Copy output');
    await expect.poll(copied).toBe('done');
    await mark(page, /^printf done/).click();
    await choose(page, 'Copy command');
    await expect.poll(copied).toBe('printf done');
    await mark(page, /^seq 3/).click();
    await choose(page, 'Select output');
    await page.keyboard.press('Control+Shift+c');
    await expect.poll(copied).toBe('1\n2\n3');
  });

  it('[T3] are reached with the keyboard and have no barriers', async () => {
    await mark(page, /^printf done/).focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.getByRole('tooltip').textContent()).toContain('ls nowhere');
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Copy output' }).waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.classList.contains('xterm-helper-textarea'));
  });

  it('[T3] tell how each command ended, after a reload and on a phone too', async () => {
    expect(await marksOf(page)).toEqual(THREE);

    await page.reload();
    await expect.poll(() => marksOf(page)).toEqual(THREE);

    await using context = await world.browserContext(PHONE);
    const phone = await openPage(world, { context });
    await expect.poll(() => marksOf(phone)).toEqual(THREE);
  });

  it('[T3] are the same beside a terminal that is drawn with WebGL', async () => {
    await page.goto(world.pageUrl);
    await page.locator('.xterm-screen canvas').first().waitFor();
    await expect.poll(() => marksOf(page)).toEqual(THREE);
    const tops = () =>
      page.locator('.mark').evaluateAll((marks) => marks.map((each) => each.getBoundingClientRect().top));
    // The output of the first has three rows, that of the second has one.
    await expect
      .poll(async () => {
        const [first = 0, second = 0, third = 0] = await tops();
        return (second - first) / (third - second);
      })
      .toBeCloseTo(2, 1);
  });

  it('[T3] are beside the rows of their prompts, before and after the view is scrolled', async () => {
    await page.goto(readable(world.pageUrl));
    const besidePrompts = async () => {
      const rows = await page.locator('.xterm-rows > div').evaluateAll((all) =>
        all.map((row) => ({
          text: row.textContent?.replaceAll('\u00a0', ' ').trim(),
          top: row.getBoundingClientRect().top,
        })),
      );
      const tops = await page
        .locator('.mark')
        .evaluateAll((marks) => marks.map((each) => each.getBoundingClientRect().top));
      return tops.map((top) => rows.find((row) => Math.abs(row.top - top) < 2)?.text);
    };
    await expect.poll(besidePrompts).toEqual(['$ seq 3', '$ ls nowhere', '$ printf done']);
    await terminalOf(page).types('seq 100\n');
    await terminalOf(page).shows(/^100\n\$$/m);
    await expect.poll(besidePrompts).toEqual([]);
    await page.keyboard.press('Control+Shift+ArrowUp');
    await expect.poll(besidePrompts).toContain('done$ seq 100');
    await page.setViewportSize({ width: 700, height: 500 });
    // The shell prints its prompt again for the new size, which may move the view. The prompts above are close to it.
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+Shift+ArrowUp');
        return besidePrompts();
      })
      .toContain('done$ seq 100');
    await page.setViewportSize({ width: 1280, height: 720 });
  });
});

describe('the marks of commands', () => {
  opensTerminals(() => world);

  it('[T3] are there after the agent was restarted, and those of the new shell below them', async () => {
    await runThree();
    await world.restartAgent();
    await terminalOf(page).shows(/new shell below/);
    await expect.poll(() => marksOf(page)).toEqual(THREE);
    await terminalOf(page).types('sleep 0.1\n');
    await expect.poll(() => marksOf(page)).toEqual([...THREE, 'sleep 0.1, succeeded']);
    await mark(page, /^sleep/).hover();
    await expect.poll(() => page.getByRole('tooltip').textContent()).toMatch(/sleep 0\.1.*took \d+ m?s/);
  });

  it('[T3] run a command again, without what was typed at the prompt', async () => {
    await terminalOf(page).types('echo again$((20 + 2))\n');
    await mark(page, /^echo again/).waitFor();
    await terminalOf(page).types('false; ');
    await terminalOf(page).shows(/\$ false;$/m);
    await mark(page, /^echo again/).click();
    await choose(page, 'Run again');
    await expect
      .poll(() => marksOf(page))
      .toEqual(['echo again$((20 + 2)), succeeded', 'echo again$((20 + 2)), succeeded']);
    await terminalOf(page).shows(/again22\n.*\nagain22$/m);
  });

  it('[T3] do not run a command again while another one runs, nor for a viewer', async () => {
    await runThree();
    await terminalOf(page).types('cat\n');
    await mark(page, 'cat, running').waitFor();
    await mark(page, /^seq 3/).click();
    expect(await page.getByRole('menuitem', { name: 'Run again' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+c');
    await mark(page, 'cat, exit code 130').waitFor();

    const viewer = await openPage(world, { role: 'viewer' });
    await mark(viewer, /^seq 3/).click();
    expect(await viewer.getByRole('menuitem').allTextContents()).toEqual([
      'Copy output',
      'Select output',
      'Copy command',
    ]);
    await viewer.context().close();
  });

  it('[T3] are gone to with the keys, and with the menu on a phone', async () => {
    await terminalOf(page).types('echo first\n');
    for (const name of ['one', 'two']) {
      await terminalOf(page).types(`seq 60; echo ${name}\n`);
      await terminalOf(page).shows(new RegExp(`^${name}\n\\$$`, 'm'));
    }
    await page.keyboard.press('Control+Shift+ArrowUp');
    await terminalOf(page).shows(/^\$ seq 60; echo two/);
    await page.keyboard.press('Control+Shift+ArrowUp');
    await terminalOf(page).shows(/^\$ seq 60; echo one/);
    await page.keyboard.press('Control+Shift+ArrowDown');
    await terminalOf(page).shows(/^\$ seq 60; echo two/);
    await page.keyboard.press('Control+Shift+ArrowDown');
    await terminalOf(page).shows(/two\n\$$/);

    await using context = await world.browserContext(PHONE);
    const phone = await openPage(world, { context });
    await terminalOf(phone).shows(/two\n\$$/);
    for (const line of [/^\$ seq 60; echo two/, /^\$ seq 60; echo one/]) {
      await phone.getByRole('button', { name: 'Terminal actions' }).click();
      await choose(phone, /^Previous prompt/);
      await terminalOf(phone).shows(line);
    }
    await phone.getByRole('button', { name: 'Terminal actions' }).click();
    await choose(phone, /^Command: seq 60; echo one/);
    await phone.getByRole('menuitem', { name: 'Copy output' }).waitFor();
  });

  it('[T3] leave the keys to a program on the alternate screen', async () => {
    await runThree();
    await terminalOf(page).types("printf '\\033[?1049h'; cat -v\n");
    await expect.poll(() => marksOf(page)).toEqual([]);
    await page.keyboard.press('Control+Shift+ArrowUp');
    await terminalOf(page).shows(/\^\[\[1;6A/);
    await page.keyboard.press('Control+c');
  });
});

describe('a hostile file', () => {
  opensTerminals(() => world);

  const osc = (data: string) => `\x1b]${data}\x07`;
  const fake = (proof: string) =>
    `${osc(`133;A${proof}`)}$ fake\r\n${osc(`133;C${proof};n=1;cmdline_url=rm -rf important`)}x\r\n${osc(`133;D;0${proof}`)}${osc(`633;E;rm -rf important`)}`;

  it('[T3] [SEC22] cannot add, change or remove marks by printing some', async () => {
    await runThree();
    writeFileSync(join(home, 'hostile'), `${fake('')}${fake(';nonce=Z3Vlc3M')}\x1bc${fake('')}`);
    writeFileSync(join(home, 'fake'), `${fake('')}${fake(';nonce=Z3Vlc3M')}`);
    await terminalOf(page).types('cat ~/fake\n');
    await mark(page, 'cat ~/fake, succeeded').waitFor();
    expect(await marksOf(page)).toEqual([...THREE, 'cat ~/fake, succeeded']);
    // After a reset, which removes all marks, it is the same.
    await terminalOf(page).types('cat ~/hostile\n');
    await terminalOf(page).types('true\n');
    await mark(page, 'true, succeeded').waitFor();
    expect(await marksOf(page)).toEqual(['true, succeeded']);
    await page.reload();
    await expect.poll(() => marksOf(page)).toEqual(['true, succeeded']);
  });

  it('[T3] [SEC22] printed by a program without marks of ours offers nothing to run', async () => {
    writeFileSync(join(home, 'plain'), fake(''));
    const client = await world.client();
    await client.client.create({
      name: 'plain',
      command: '/bin/sh',
      args: ['-c', `cat ${join(home, 'plain')}; exec sh`],
      cols: 80,
      rows: 24,
    });
    client[Symbol.dispose]();
    await page.getByRole('button', { name: 'Sessions' }).click();
    await page
      .getByRole('dialog', { name: 'Sessions' })
      .getByRole('button', { name: 'Open plain', exact: false })
      .click();
    await mark(page, 'rm -rf important, succeeded').click();
    expect(await page.getByRole('menuitem').allTextContents()).not.toContain('Run again');
    await page.keyboard.press('Escape');
  });
});
