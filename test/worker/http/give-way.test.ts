/** How many requests begin before the runtime looks at other connections. Its looks are those of a clock in the test. */
import { describe, expect, it } from 'vitest';
import { UNBROKEN_COST } from '../../../protocol/limits.ts';
import { RequestWay } from '../../../worker/http/give-way.ts';
import { UnbrokenWork } from '../../../worker/metering/unbroken-work.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** More than enough; without an end, a request that never begins would hang the test. */
const LOOKS = 2000;
/** As many as abandoned requests of one sender were seen to wait. */
const REQUESTS = 500;

/** Requests that arrive at once; returns how many began between any two looks. `others` work after each look. */
async function begun(requests: number, path: string, others = 0): Promise<number[]> {
  const work = new UnbrokenWork();
  const clock = new FakeClock();
  const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const way = new RequestWay(work, sleep, () => clock.now());
  let waiting = requests;
  work.spend(others);
  const all = Array.from({ length: requests }, () => way.enter(path).then(() => waiting--));
  const perLook: number[] = [];
  for (let before = requests; perLook.length < LOOKS; before = waiting) {
    for (let hops = 0; hops < 10; hops++) await Promise.resolve();
    perLook.push(before - waiting);
    if (waiting === 0) break;
    // All timers that are due fire before the runtime looks again.
    clock.advance(1);
    work.spend(others);
  }
  expect(waiting, 'every request begins').toBe(0);
  await Promise.all(all);
  return perLook;
}

describe('requests that arrive at once', () => {
  it.each([
    ['/health', 9],
    ['/api/workspaces/w/health', 4],
    ['/ws/agent/w', 4],
    ['/terminal/ws', 4],
    ['/mcp', 4],
    ['/api/join', 4],
    ['/api/owner/machines', 4],
    ['/api/openapi.json', 9],
  ])('[X35] [SEC21] [RL17] to %s begin at most %i at a time', async (path, most) => {
    const perLook = await begun(40, path);
    expect(Math.max(...perLook)).toBeLessThanOrEqual(most);
  });

  it('[SEC21] [RL17] begin in the end even if workspaces send all the time', async () => {
    const perLook = await begun(3, '/health', 2 * UNBROKEN_COST);
    expect(perLook.length).toBeGreaterThan(1);
  });

  it('[SEC21] [RL17] ask again a few times each, however many wait', async () => {
    const work = new UnbrokenWork();
    const clock = new FakeClock();
    let looks = 0;
    const sleep = (ms: number) => {
      looks++;
      return new Promise<void>((resolve) => void clock.after(ms, resolve));
    };
    const way = new RequestWay(work, sleep, () => clock.now());
    let waiting = REQUESTS;
    work.spend(UNBROKEN_COST);
    const all = Array.from({ length: REQUESTS }, () => way.enter('/health').then(() => waiting--));
    for (let ms = 0; ms < LOOKS && waiting > 0; ms++) {
      clock.advance(1);
      work.spend(2 * UNBROKEN_COST);
      for (let hops = 0; hops < 10; hops++) await Promise.resolve();
    }
    expect(waiting, 'every request begins').toBe(0);
    await Promise.all(all);
    expect(looks / REQUESTS).toBeLessThan(4);
  });

  it('[X29] [SEC21] [RL17] wait a moment, however many before them were abandoned while they waited', async () => {
    const work = new UnbrokenWork();
    const clock = new FakeClock();
    const slept: number[] = [];
    const sleep = (ms: number) => {
      slept.push(ms);
      return new Promise<void>(() => {});
    };
    const way = new RequestWay(work, sleep, () => clock.now());
    for (let i = 0; i < 50_500; i++) {
      work.spend(UNBROKEN_COST);
      void way.enter('/health');
      clock.advance(1);
    }
    expect(Math.max(...slept), 'while they are abandoned').toBeLessThan(1000);
    clock.advance(10_000);
    slept.length = 0;
    for (let i = 0; i < 8; i++) void way.enter('/health');
    expect(Math.max(...slept), 'afterwards').toBeLessThan(10);
  });
});
