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
      const share = new WorkShare(work, 'w', clock);
      await share.begin();
      await share.spent(3);
      share.rest();
    }
    expect(clock.pending, 'less than one slice in all').toBe(0);
  });

  it('[X3] is paid for in full by a request that used more than a slice', async () => {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    const share = new WorkShare(work, 'w', clock);
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
      const share = new WorkShare(work, 'w', clock);
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

  it('[RL24] wakes each of many that wait a few times, not for every slice that is free', async () => {
    const clock = new CountingClock();
    const work = new SharedWork(RATE);
    const served = await serveAll(work, clock, 400, RATE.slice);
    expect(served).toBe(400);
    expect(clock.timers / 400, 'wake-ups of each').toBeLessThan(25);
  });

  it('[RL24] serves first who came first, also when more keep coming', async () => {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    const order: number[] = [];
    const ask = async (name: number) => {
      const share = new WorkShare(work, 'w', clock);
      await share.begin();
      order.push(name);
      await share.spent(RATE.slice - 1);
    };
    for (let name = 0; name < 60; name++) {
      void ask(name);
      await settle();
      if (name % 2 === 1) await pass(clock, 10);
    }
    for (let i = 0; i < 60; i++) await pass(clock, 10);
    expect(order).toEqual(Array.from({ length: 60 }, (_, name) => name));
  });

  it('[RL24] is waited for less long when those in front need little of their slices', async () => {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    const startedAt = clock.now();
    expect(await serveAll(work, clock, 64, 1)).toBe(64);
    expect(clock.now() - startedAt, '640 ms if all were used up').toBeLessThan(200);
  });

  it('[RL24] holds up nobody behind a late request that did more than its slice', () => {
    const work = new SharedWork(RATE);
    const [late, behind] = [work.join('w', 0), work.join('w', 0)];
    // The time of both has just passed, and the line is empty.
    expect(work.sleepMs(behind, 20)).toBe(0);
    work.leave(late, -1_000);
    expect(work.sleepMs(behind, 60_000)).toBe(0);
  });

  it('[RL24] keeps nobody in the line waiting longer after the wall clock went back', () => {
    const work = new SharedWork(RATE);
    for (let i = 0; i < 2; i++) work.join('w', 3_600_000);
    const place = work.join('w', 3_600_000);
    expect(work.sleepMs(place, 3_600_000)).toBe(10);
    expect(work.sleepMs(place, 0)).toBe(10);
    expect(work.lineMs('w', 0)).toBe(30);
    expect(work.sleepMs(place, 10)).toBe(0);
  });
});

describe('the lines of work that requests share', () => {
  /** How many slices each owner gets within so many milliseconds, with this many requests that never end. */
  async function slicesOf(requests: Readonly<Record<string, number>>, ms: number) {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    const slices: Record<string, number> = {};
    const forever = async (owner: string) => {
      const share = new WorkShare(work, owner, clock);
      for (;;) {
        await share.spent(RATE.slice);
        slices[owner] = (slices[owner] ?? 0) + 1;
      }
    };
    for (const [owner, count] of Object.entries(requests))
      for (let i = 0; i < count; i++) void forever(owner);
    await pass(clock, ms);
    return slices;
  }

  it('[SEC21] [RL22] get equal parts, whoever has more requests', async () => {
    const { few = 0, many = 0 } = await slicesOf({ many: 16, few: 1 }, 1000);
    expect(few + many, 'a slice takes 10 ms').toBeGreaterThan(90);
    expect(Math.abs(few - many)).toBeLessThanOrEqual(4);
  });

  it('[RL22] get everything that others leave', async () => {
    const { only = 0 } = await slicesOf({ only: 4 }, 1000);
    expect(only).toBeGreaterThan(95);
  });

  it('[SEC21] [RL22] do not wait for requests of another line that were given up unnoticed', async () => {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    for (let i = 0; i < 1000; i++) work.join('given up', clock.now());
    let isServed = false;
    void new WorkShare(work, 'other', clock).begin().then(() => {
      isServed = true;
    });
    await pass(clock, 30);
    expect(isServed).toBe(true);
  });

  it('[RL22] do not wait for those of their own that were given up, while they waited or worked', async () => {
    const clock = new FakeClock();
    const work = new SharedWork(RATE);
    const shares = Array.from({ length: 100 }, () => new WorkShare(work, 'w', clock));
    for (const share of shares) void share.begin();
    await settle();
    for (const share of shares) share.abandon();
    let isServed = false;
    void new WorkShare(work, 'w', clock).begin().then(() => {
      isServed = true;
    });
    await pass(clock, 30);
    expect(isServed).toBe(true);
  });
});

/** Counts how many timers were set. */
class CountingClock extends FakeClock {
  timers = 0;

  override after(ms: number, callback: () => void) {
    this.timers++;
    return super.after(ms, callback);
  }
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let i = 0; i < ms; i++) {
    clock.advance(1);
    await settle();
  }
}

/** That many requests at once, each of which does this much; returns how many were served in the end. */
async function serveAll(work: SharedWork, clock: FakeClock, requests: number, cost: number): Promise<number> {
  let served = 0;
  const ask = async () => {
    const share = new WorkShare(work, 'w', clock);
    await share.begin();
    served++;
    // One more would ask for the next slice.
    if (cost < work.slice) await share.spent(cost);
    if (cost < work.slice) share.rest();
  };
  for (let i = 0; i < requests; i++) void ask();
  for (let ms = 0; ms < 10 * requests && served < requests; ms++) await pass(clock, 1);
  return served;
}
