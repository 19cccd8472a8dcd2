/** How many reads of viewers begin at once, with a clock that advances on request. */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../protocol/clock.ts';
import { REQUEST_WAIT_MAX_MS, VIEWER_READS_MAX, VIEWERS_READS_MAX } from '../../../../protocol/limits.ts';
import { ViewerReads } from '../../../../worker/api/link/viewer-reads.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const viewer = (tokenId: string) => ({ role: 'viewer', tokenId }) as const;

/** Lets pending promises continue. */
const settle = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

/** Reads that were asked for; `begun` has the ends of those that have begun. */
function world() {
  const clock = new FakeClock();
  let timers = 0;
  const counting: Clock = {
    now: () => clock.now(),
    after(ms, run) {
      timers++;
      return clock.after(ms, run);
    },
  };
  const reads = new ViewerReads(counting);
  const begun: (() => void)[] = [];
  const refused: unknown[] = [];
  const ask = (owner: Parameters<ViewerReads['enter']>[1], workspace = 'w') =>
    reads.enter(workspace, owner).then(
      (leave) => void begun.push(leave),
      (error) => void refused.push(error),
    );
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      clock.advance(10);
      await settle();
    }
  };
  return { clock, ask, begun, refused, pass, looks: () => timers };
}

describe('reads of viewers', () => {
  it('[SEC21] [RL24] of one token begin a few at once, and the next when one has ended', async () => {
    const { ask, begun, pass } = world();
    for (let i = 0; i <= VIEWER_READS_MAX; i++) void ask(viewer('v'));
    await pass(100);
    expect(begun).toHaveLength(VIEWER_READS_MAX);
    begun[0]?.();
    begun[0]?.();
    await pass(100);
    expect(begun).toHaveLength(VIEWER_READS_MAX + 1);
    void ask(viewer('v'));
    await pass(100);
    expect(begun, 'an end counts once').toHaveLength(VIEWER_READS_MAX + 1);
  });

  it('[SEC21] [RL24] of all tokens leave room for operators and other workspaces', async () => {
    const { ask, begun, pass } = world();
    for (let i = 0; i <= VIEWERS_READS_MAX; i++) void ask(viewer(`v${i}`));
    await pass(100);
    expect(begun).toHaveLength(VIEWERS_READS_MAX);
    for (let i = 0; i < 20; i++) void ask({ role: 'operator', tokenId: 'o' });
    void ask(viewer('v'), 'other');
    await settle();
    expect(begun).toHaveLength(VIEWERS_READS_MAX + 21);
  });

  it('[SEC10] [RL24] are refused when they have waited for too long', async () => {
    const { ask, begun, refused, pass, clock } = world();
    for (let i = 0; i <= VIEWER_READS_MAX; i++) void ask(viewer('v'));
    await pass(REQUEST_WAIT_MAX_MS + 100);
    expect(begun).toHaveLength(VIEWER_READS_MAX);
    expect(refused).toMatchObject([{ status: 429, code: 'too_many_requests' }]);
    expect(clock.pending).toBe(0);
  });

  it('[SEC21] [RL24] that wait look for a place seldom if many wait, also in other workspaces', async () => {
    const { ask, begun, refused, pass, looks } = world();
    const workspaces = ['a', 'b', 'c'];
    for (const workspace of workspaces) for (let i = 0; i < 200; i++) void ask(viewer('v'), workspace);
    await pass(1000);
    expect(begun).toHaveLength(workspaces.length * VIEWER_READS_MAX);
    expect(refused).toEqual([]);
    expect(looks(), 'looks in a second').toBeLessThan(3000);
  });

  it('[X29] [SEC21] [RL24] that wait look soon, however many before them were abandoned while they waited', () => {
    let now = 0;
    const sleeps: number[] = [];
    // Whoever is abandoned sleeps for good.
    const clock: Clock = {
      now: () => now,
      after(ms) {
        sleeps.push(ms);
        return () => {};
      },
    };
    const reads = new ViewerReads(clock);
    for (let i = 0; i < 50_500; i++, now++) void reads.enter('w', viewer('v'));
    expect(Math.max(...sleeps), 'while they are abandoned').toBeLessThan(1100);
    now += 10_000;
    sleeps.length = 0;
    for (let i = 0; i < 8; i++) void reads.enter('w', viewer('v'));
    expect(Math.max(...sleeps), 'afterwards').toBeLessThan(20);
  });
});
