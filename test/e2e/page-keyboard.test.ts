/** A person and an assistant in one terminal: who types is shown, and a person's key takes the keyboard. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriersOf, openTerminal, untilRuns } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world[Symbol.asyncDispose]());

/** With HOLDFAST_PICTURES, the page as a person sees it, in a window and on a phone. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.HOLDFAST_PICTURES;
  if (folder === undefined) return;
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.screenshot({ path: join(folder, `${name}-${width}.png`) });
  }
}

describe('an assistant in the terminal of a person', () => {
  it('[A3] [AS4] is named while it types, stops for a key, and goes on when the keyboard is handed back', async () => {
    const context = await world.browserContext({ colorScheme: 'dark' });
    const page = await openTerminal(world, { context });
    using assistant = await world.client();
    const { client } = assistant;
    const [session] = await client.list();
    const id = session?.id ?? '';
    const endless = client.assistant.run(id, 'cat', { act: 'first', actor: 'Codex', waitMs: 30_000 });
    await page.getByText('Codex is typing').waitFor();
    await picture(page, 'keyboard-typing');
    expect(await barriersOf(page)).toEqual([]);
    expect(await endless).toMatchObject({ state: 'needs_input', program: 'cat' });

    await terminalOf(page).typesBlindly('\x03');
    await page.getByText('Codex is waiting for the keyboard').waitFor();
    await picture(page, 'keyboard-waiting');
    await expect(
      client.assistant.run(id, 'echo no', { act: 'second', actor: 'Codex', waitMs: 5_000 }),
    ).rejects.toMatchObject({
      code: 'taken_over',
    });
    await page.getByRole('button', { name: 'Hand back' }).click();
    await page.getByText('Codex is waiting for the keyboard').waitFor({ state: 'detached' });
    const again = await client.assistant.run(id, 'echo back-$((40+2))', {
      act: 'third',
      actor: 'Codex',
      waitMs: 30_000,
    });
    expect(again).toMatchObject({ state: 'done', exitCode: 0, output: 'back-42' });
    await terminalOf(page).shows(/^back-42$/m);
    expect(await page.getByText('echo no').count()).toBe(0);
  });

  it('[A3] [AS4] can be stopped by the button, and its call is told by whom', async () => {
    const context = await world.browserContext({ colorScheme: 'light' });
    const page = await openTerminal(world, { context });
    using assistant = await world.client();
    const { client } = assistant;
    const { id } = await client.create({ cols: 80, rows: 24, key: 'long' });
    await page.getByRole('button', { name: 'Sessions' }).click();
    const panel = page.getByRole('dialog', { name: 'Sessions' });
    await panel.getByRole('button', { name: /Open/ }).last().click();
    const long = client.assistant.run(id, 'sleep 60', { act: 'first', actor: 'Codex', waitMs: 60_000 });
    await page.getByText('Codex is typing').waitFor();
    await picture(page, 'keyboard-light');
    // Before it runs, a person who takes over would prevent that.
    await untilRuns(world, 'sleep');
    await page.getByRole('button', { name: 'Take over' }).click();
    expect(await long).toMatchObject({
      state: 'taken_over',
      by: expect.stringMatching(/./),
      program: 'sleep',
    });
    await page.getByText('Codex is waiting for the keyboard').waitFor();
  });
});
