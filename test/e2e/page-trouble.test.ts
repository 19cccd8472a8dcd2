/** What the page and the status page say of an agent that ended again and again. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killEarly } from '../support/kept-agent.ts';
import { hasProc } from '../support/needs-proc.ts';
import { barriersOf, openTerminal } from '../support/page-story.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { World } from '../support/world.ts';

const hasKeeper = hasProc && process.env.HOLDFAST_NO_KEEPER === undefined;
const WHY =
  /The agent ended \d times in a row right after its start \(SIGKILL\), so it was started without saved screens\. Programs keep running\./;

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

describe.skipIf(!hasKeeper)('an agent that ended again and again', () => {
  it('[F30] is explained in the sessions panel and on the status page, in dark and light', async () => {
    const page = await openTerminal(world);
    await expect.poll(killEarly(world.agent.pid, world.agentLogs)).toBe(true);
    await expect
      .poll(async () => (await world.health()).agent)
      .toMatchObject({ trouble: expect.any(String) });
    await terminalOf(page).types('echo still-$((1+1))\n');
    await terminalOf(page).shows(/^still-2$/m);
    await page.close();

    for (const colorScheme of ['dark', 'light'] as const) {
      const context = await world.browserContext({ colorScheme });
      const terminals = await openTerminal(world, { context });
      await terminals.getByRole('button', { name: 'Sessions' }).click();
      await terminals.getByRole('dialog', { name: 'Sessions' }).getByText(WHY).waitFor();
      expect(await barriersOf(terminals)).toEqual([]);
      await picture(terminals, `trouble-sessions-${colorScheme}`);

      const status = await context.newPage();
      await status.goto(new URL(`/status/${world.relay.workspace}`, world.relay.url).href);
      await status
        .getByRole('heading', { name: 'The machine is online, but its agent ended repeatedly' })
        .waitFor();
      expect(await status.getByRole('status').textContent()).toMatch(WHY);
      expect(await barriersOf(status)).toEqual([]);
      await picture(status, `trouble-status-${colorScheme}`);
      await context.close();
    }
  });
});
