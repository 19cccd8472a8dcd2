/** The appearance of the page: by system preferences, by the user's settings, and with a screen reader. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endSessions, forget, newTerminal, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

let page: Page;
beforeEach(async () => {
  page = await openTerminal(world, { page });
  return async () => {
    await forget(page, world);
    await endSessions(world);
  };
});

const styleOf = (selector: string, property: string) =>
  page.evaluate(
    ([selector, property]) =>
      getComputedStyle(document.querySelector(selector) as Element).getPropertyValue(property),
    [selector, property] as const,
  );

describe('system preferences', () => {
  it('set the theme, also while the page is open and in the terminal', async () => {
    const colours = async () => [
      await styleOf('.header', 'background-color'),
      await styleOf('.terminal-host .xterm-rows', 'color'),
    ];
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('.holdfast[data-theme=dark]').waitFor();
    await expect.poll(colours).toEqual(['rgb(26, 30, 37)', 'rgb(220, 226, 234)']);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('.holdfast[data-theme=light]').waitFor();
    await expect.poll(colours).toEqual(['rgb(243, 245, 248)', 'rgb(29, 35, 43)']);
  });

  it('for reduced motion turn off all animation', async () => {
    const moving = () =>
      page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await world.agent.stop(); // a waiting element shows that by rotating
    await page
      .getByRole('tabpanel')
      .getByText(/The machine has been offline since/)
      .waitFor();
    await expect.poll(moving).toBeGreaterThan(0);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expect.poll(moving).toBe(0);
    await world.restartAgent();
    await page
      .getByRole('tabpanel')
      .getByText(/The machine has been offline since/)
      .waitFor({ state: 'hidden' });
  });
});

describe('a user', () => {
  it('chooses the font, and the terminal changes at once', async () => {
    const font = () => styleOf('.terminal-host .xterm-rows', 'font-family');
    const before = await font();
    await page.getByRole('button', { name: 'Settings' }).click();
    const choice = page.getByLabel('Font');
    await choice.waitFor();
    const options = await choice.locator('option').allTextContents();
    expect(options.length).toBeGreaterThan(1);
    await choice.selectOption({ index: options.length - 1 });
    await expect.poll(font).not.toBe(before);
  });

  it('of a screen reader hears what is printed', async () => {
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Screen reader mode').check();
    await page.keyboard.press('Escape');
    await terminalOf(page).prompts();
    // With keys: for a screen reader xterm takes text that comes at once for a composition.
    await page.keyboard.type('echo heard-$((1+1))\r');
    await expect.poll(() => page.locator('.xterm-accessibility').textContent()).toContain('heard-2');
    expect(await page.locator('.xterm [aria-live=assertive]').count()).toBe(1);
  });
});

describe('a hidden terminal', () => {
  /** The size of each session as its program has it, by name. */
  async function sizes(): Promise<Record<string, string>> {
    using client = await world.client();
    await client.client.refresh();
    const sessions = await client.client.list();
    return Object.fromEntries(sessions.map(({ name, cols, rows }) => [name, `${rows} ${cols}`]));
  }

  /** The size of its shell; once this is answered, everything that the page sent before was received as well. */
  async function askedSize(asked: string): Promise<string> {
    const terminal = terminalOf(page);
    await terminal.types(`echo ${asked}=$(stty size)=\n`);
    const answer = new RegExp(`^${asked}=(\\d+ \\d+)=$`, 'm');
    await terminal.shows(answer);
    return answer.exec(await terminal.screen())?.[1] ?? '';
  }

  it('is not fitted; its shell gets the new size when it is shown', async () => {
    const terminal = terminalOf(page);
    const before = await askedSize('before');
    // Prints at each resize what the file contains at that moment.
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-hidden-'));
    const moment = join(dir, 'moment');
    writeFileSync(moment, 'hidden');
    const says = `trap "echo resized-while-\\$(cat ${moment})" WINCH; echo trapped-$((1+1))`;
    await terminal.types(`sh -c '${says}; while :; do sleep 0.05; done'\n`);
    await terminal.shows(/^trapped-2$/m);

    await newTerminal(page);
    expect(await askedSize('same'), 'a terminal beside a hidden one').toBe(before);
    await page.setViewportSize({ width: 700, height: 400 });
    await expect.poll(async () => (await sizes())['Terminal 2']).not.toBe(before);
    const shown = await askedSize('smaller');
    expect((await terminal.screen()).split('\n')).toHaveLength(Number.parseInt(shown, 10));
    expect(await sizes()).toEqual({ 'Terminal 1': before, 'Terminal 2': shown });

    writeFileSync(moment, 'shown');
    await page.keyboard.press('Alt+Shift+1');
    await terminal.shows(/^resized-while-shown$/m);
    expect(await terminal.screen()).not.toContain('resized-while-hidden');
    await expect.poll(sizes).toEqual({ 'Terminal 1': shown, 'Terminal 2': shown });
    await page.keyboard.press('Control+C');
    rmSync(dir, { recursive: true });
  });
});

describe('a terminal that was hidden while it printed', () => {
  it('is redrawn when it is shown', async () => {
    const context = await world.browserContext();
    // A browser reports a moment later that something is hidden; until then xterm keeps drawing. Here that moment
    // lasts.
    await context.addInitScript(() => {
      IntersectionObserver.prototype.observe = () => {};
    });
    const page = await openTerminal(world, { context });
    await newTerminal(page);
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Terminal 1', includeHidden: true });
    const row = panel.locator('.xterm-rows > div', { hasText: /^\{\|\}\^$/ });
    const widthOf = () =>
      row.evaluate((element) =>
        [...element.children].reduce((sum, span) => sum + span.getBoundingClientRect().width, 0),
      );

    // Only characters that were never drawn are measured while hidden: none of a prompt, nor of a random file name.
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-hidden-'));
    execFileSync('mkfifo', [join(dir, 'go')]);
    await page.keyboard.type(`clear; cat ${dir}/go; printf '\\173\\174\\175\\136\\n'\n`);
    await expect.poll(() => terminalOf(page).screen()).not.toContain('cat');
    await panel.evaluate((element) => {
      element.style.display = 'none';
    });
    await writeFile(join(dir, 'go'), '');
    await expect.poll(() => row.count()).toBe(1);
    await panel.evaluate((element) => {
      element.style.display = '';
    });
    const hiddenWidth = await widthOf();
    await page.getByRole('tab', { name: 'Terminal 2' }).click();
    await page.getByRole('tab', { name: 'Terminal 1' }).click();
    await expect.poll(widthOf).toBeLessThan(hiddenWidth);
    await context.close();
    rmSync(dir, { recursive: true });
  });
});
