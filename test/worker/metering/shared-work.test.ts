/** How requests share work: slices, pauses and order, with a hand-driven clock. */
import { describe, expect, it } from 'vitest';
import { SharedWork, WorkShare } from '../../../worker/metering/shared-work.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const RATE = { slice: 100, perSecond: 10_000 };

/** Lets pending promises continue. */
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe('work that requests share', () => {
  it('[X3] continues while there are slices, then waits until the last one is paid for', () => {
    const work = new SharedWork(RATE);
    expect([work.take(1000), work.take(1000), work.take(1000), work.take(1004)]).toEqual([0, 0, 10, 6]);
    expect([work.take(1010), work.take(1010)]).toEqual([0, 10]);
  });

  it('[X3] delays nobody after the wall clock went back', () => {
    const work = new SharedWork(RATE);
    for (let i = 0; i < 3; i++) work.take(3_600_000);
    expect(work.take(0)).toBeLessThanOrEqual(10);
    expect(work.take(10)).toBe(0);
  });

  it('[X3] costs what was used of a slice, not what was reserved', async () => {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    for (let i = 0; i < 30; i++) {
      const share = new WorkShare(work, clock);
      await share.begin();
      await share.spent(3);
      share.rest();
    }
    expect(clock.pending, 'less than one slice in all').toBe(0);
  });

  it('[X3] is paid for in full by a request that used more than a slice', async () => {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    const share = new WorkShare(work, clock);
    await share.begin();
    let isServed = false;
    void share.spent(1000).then(() => {
      isServed = true;
    });
    await settle();
    clock.advance(70);
    await settle();
    expect(isServed).toBe(false);
    clock.advance(30);
    await settle();
    expect(isServed).toBe(true);
  });

  it('[X3] of a hundred late requests runs one slice at a time', async () => {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    let done = 0;
    const forever = async () => {
      const share = new WorkShare(work, clock);
      await share.begin();
      for (;;) {
        done += 10;
        await share.spent(10);
      }
    };
    for (let i = 0; i < 100; i++) void forever();
    await settle();
    for (let i = 0; i < 5; i++) {
      const before = done;
      // All timers are overdue, as after a slice that took long.
      clock.advance(100);
      for (let turn = 0; turn < 20; turn++) await settle();
      expect(done - before).toBeLessThanOrEqual(3 * RATE.slice);
    }
  });
});
