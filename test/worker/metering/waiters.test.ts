/** How many requests wait, when some of them are abandoned without notice. */
import { describe, expect, it } from 'vitest';
import { Waiters } from '../../../worker/metering/waiters.ts';

const LONGEST_MS = 1000;

describe('requests that wait', () => {
  it('[RL17] [RL24] are counted until they leave', () => {
    const waiters = new Waiters(LONGEST_MS);
    for (let i = 0; i < 3; i++) waiters.join(5000);
    waiters.leave();
    expect(waiters.count(5000)).toBe(2);
    waiters.leave();
    waiters.leave();
    waiters.leave();
    expect(waiters.count(5000)).toBe(0);
  });

  it('[RL17] [RL24] are counted for as long as they may wait, and forgotten after twice that time', () => {
    const waiters = new Waiters(LONGEST_MS);
    waiters.join(5000);
    waiters.join(5000 + LONGEST_MS - 1);
    expect(waiters.count(5000 + 2 * LONGEST_MS - 2)).toBe(2);
    expect(waiters.count(5000 + 3 * LONGEST_MS)).toBe(0);
  });

  it('[X29] [RL17] [RL24] that are abandoned without a pause do not add up', () => {
    const waiters = new Waiters(LONGEST_MS);
    for (let now = 5000; now < 65_000; now++) waiters.join(now);
    expect(waiters.count(65_000)).toBeLessThanOrEqual(2 * LONGEST_MS);
    expect(waiters.count(70_000)).toBe(0);
  });

  it('[RL17] [RL24] are forgotten if the clock goes back', () => {
    const waiters = new Waiters(LONGEST_MS);
    waiters.join(5000);
    expect(waiters.count(4000)).toBe(0);
  });
});
