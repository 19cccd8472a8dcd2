/** A page that shows a running count, to check how fast output arrives and that no line is missing or repeated. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { terminalOf } from './terminal-page.ts';

/** Ten lines a second, in the background, so that the shell still takes input. */
export const SLOW_COUNT =
  'clear; (i=0; while [ $i -lt 9000 ]; do i=$((i+1)); echo row-$i; sleep 0.1; done) &\n';

/** About 1 MB a second: 16 lines of 62 bytes in each of a thousand steps. */
export const FAST_COUNT = `clear; awk 'BEGIN { for (i = 1; ; i++) { printf "%-54s row-%d\\n", "0123456789abcdefghijklmnopqrstuvwxyz", i; if (i % 1600 == 0) { fflush(); system("sleep 0.1") } } }' &\n`;

/** The numbers of the complete lines. The last line of the screen may be cut inside its number, so it does not count. */
export async function rowsOf(page: Page): Promise<number[]> {
  return [...(await terminalOf(page).screen()).matchAll(/row-(\d+)\n/g)].map(([, n]) => Number(n));
}

export async function latestRow(page: Page): Promise<number> {
  return (await rowsOf(page)).at(-1) ?? 0;
}

/** Expects the row numbers on the screen to be consecutive, without gaps or repetitions. */
export async function expectCount(page: Page): Promise<void> {
  const rows = await rowsOf(page);
  expect(rows.length).toBeGreaterThan(5);
  expect(rows).toEqual(rows.map((_, i) => (rows[0] ?? 0) + i));
}
