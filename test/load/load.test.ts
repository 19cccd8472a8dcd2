/** The parts of `npm run load` that do not depend on how fast the machine is, in small. */
import { describe, expect, it } from 'vitest';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';
import { churn } from './churn.ts';
import { crowdedShare, runHerd } from './herd.ts';

describe('a herd', () => {
  it('[F22] sleeps without waking anybody, and comes back spread over time', async () => {
    const relay = await TestRelay.start();
    const { wakeUps, tries } = await runHerd(relay, {
      clients: 90,
      agents: 6,
      idleMs: 9_000,
      outageMs: 3_000,
    });
    expect(wakeUps).toBe(0);
    expect(tries.length).toBeGreaterThan(96);
    // Waits are uniform, so of this few some tenths are fuller than of many; all at once would be 100 %.
    expect(crowdedShare(tries)).toBeLessThan(0.25);
    await relay[Symbol.asyncDispose]();
  }, 90_000);
});

describe('sessions that come and go', () => {
  it('[F20] leave no descriptor, terminal, process or row behind', async () => {
    await using world = await World.open();
    const { before, after } = await churn(world, 60);
    expect(after).toEqual(before);
  }, 90_000);
});
