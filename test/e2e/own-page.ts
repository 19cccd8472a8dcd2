/** A page that the tests of a file share, and the tabs on it. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { endSessions, forget, openTerminal } from '../support/page-story.ts';
import { World } from '../support/world.ts';

export let world: World;

let own: Page | undefined;
export const open = async () => {
  own = await openTerminal(world, { page: own });
  return own;
};

/** Called once at the top of a file: one relay and one agent for all of its tests, and no session left by any. */
export function opensWorld(): void {
  beforeAll(async () => {
    world = await World.open();
    own = undefined;
  });
  afterAll(() => world[Symbol.asyncDispose]());

  afterEach(async () => {
    if (own !== undefined) await forget(own, world);
    await endSessions(world);
  });
}

export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
export const rename = async (page: Page, name: string) => {
  await page.getByLabel('Name of the terminal').fill(name);
  await page.keyboard.press('Enter');
};
