/** What one screen may add to the memory of an agent. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** The goal for all attacks (`npm run abuse`). */
const GROWTH_MAX_MIB = 288;

it('[SEC21] a history of costly cells and its snapshots stay within the agent’s bound', async () => {
  const program = new URL('costly-history.ts', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  // Without a bound on the thread's garbage it is over 450.
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(GROWTH_MAX_MIB * 1.25);
});
