/** A page with a terminal, which must report no error. */
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, expect } from 'vitest';
import { complaintsOf, endSessions, forget, openTerminal } from '../support/page-story.ts';
import type { World } from '../support/world.ts';

/** The page of the test that runs. */
export let page: Page;

/** Called once at the top of a file or of a group: each of its tests gets a new terminal, and leaves no session. */
export function opensTerminals(world: () => World): void {
  let used: Page | undefined;
  beforeEach(async () => {
    used = await openTerminal(world(), { page: used });
    return watch(used, world());
  });
}

/** Called once at the top of a group: its tests share a terminal, in which something may be prepared. */
export function opensOneTerminal(world: () => World, prepare: () => Promise<void>): void {
  beforeAll(async () => {
    const end = await watch(await openTerminal(world()), world());
    await prepare();
    return end;
  });
}

async function watch(opened: Page, world: World): Promise<() => Promise<void>> {
  page = opened;
  const complaints = complaintsOf(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return async () => {
    await forget(opened, world);
    await endSessions(world);
    // Last: a complaint about this test must not leave its page to the next.
    expect(complaints).toEqual([]);
  };
}
