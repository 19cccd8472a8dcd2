/** Waits until a page has the expected tabs. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { tabsOf } from './page-story.ts';

/** The names in order, the active one in brackets. */
export async function expectTabs(page: Page, ...names: string[]): Promise<void> {
  await expect.poll(() => tabsOf(page)).toEqual(names);
}
