/** A page with a terminal, which must report no error. */
import type { Page } from 'playwright-core';
import { beforeEach, expect } from 'vitest';
import { complaintsOf, endSessions, forget, openTerminal } from '../support/page-story.ts';
import type { World } from '../support/world.ts';

/** The page of the test that runs. */
export let page: Page;

/** Called once at the top of a file or of a group: each of its tests gets a new terminal, and leaves no session. */
export function opensTerminals(world: () => World): void {
  let used: Page | undefined;
  beforeEach(async () => {
    used = await openTerminal(world(), { page: used });
    page = used;
    const complaints = complaintsOf(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    return async () => {
      await forget(page, world());
      await endSessions(world());
      // Last: a complaint about this test must not leave its page to the next.
      expect(complaints).toEqual([]);
    };
  });
}
