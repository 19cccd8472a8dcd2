/** How a rate is shared by those who use it. */
import { describe, expect, it } from 'vitest';
import { FairShares } from '../../../worker/metering/fair-shares.ts';

describe('a rate that is shared', () => {
  it('[RL24] is all of one that is alone, and half of each of two', () => {
    const shares = new FairShares(1_000);
    expect(shares.take('a', 500, 0)).toBe(500);
    expect(shares.take('b', 100, 0)).toBe(200);
    expect([shares.ahead('a', 200), shares.ahead('b', 200)]).toEqual([400, 0]);
    expect(shares.ahead('a', 600)).toBe(0);
    expect(shares.busy).toBe(0);
  });

  it('[RL24] of one that asks often is no larger, and delays no other', () => {
    const shares = new FairShares(1_000);
    for (let i = 0; i < 100; i++) shares.take('a', 100, 0);
    expect(shares.take('b', 100, 0)).toBe(200);
  });

  it('does not pass while the wall clock goes back', () => {
    const shares = new FairShares(1_000);
    shares.take('a', 500, 1_000);
    expect(shares.ahead('a', 0)).toBe(500);
    expect(shares.ahead('a', 500)).toBe(0);
  });
});
