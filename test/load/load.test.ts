/** The parts of `npx node test/load/run.ts` that do not depend on the speed of the machine, in a smaller size. */
import { describe, expect, it } from 'vitest';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';
import { churn, grown } from './churn.ts';
import { crowdedShare, runHerd } from './herd.ts';

describe('many idle clients', () => {
  it('[F22] wake nobody while idle, and reconnect spread over time', async () => {
    // If the platform answers heartbeats; a self-hosted relay is woken by them.
    const relay = await TestRelay.start();
    const herd = { clients: 90, agents: 6, idleMs: 9_000, outageMs: 1_000 };
    const { wakeUps, firstWaits } = await runHerd(relay, herd);
    expect(wakeUps).toBe(0);
    expect(firstWaits).toHaveLength(96);
    // Uniform over a second: a tenth is for ten, and of this few now and then for twice as many. All at once would be 100 %.
    expect(crowdedShare(firstWaits)).toBeLessThan(0.25);
    await relay[Symbol.asyncDispose]();
  });
});

describe('short-lived sessions', () => {
  it('[F20] [Y1] leave no descriptor, terminal, process or row behind', async () => {
    await using world = await World.open();
    const { before, left } = await churn(world, 60);
    await expect.poll(async () => grown(before, await left())).toEqual([]);
  });
});
