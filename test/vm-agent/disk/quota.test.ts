import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { returnLimit, softLimit, toDrop, toSnapshot, type Usage } from '../../../vm-agent/disk/quota.ts';
import { checkProperty } from '../../support/property.ts';

const kB = 1024;
const usage = (id: string, changes: Partial<Usage> = {}): Usage => ({
  id,
  journalBytes: 100 * kB,
  droppableBytes: 200 * kB,
  exited: false,
  writtenAt: 0,
  snapshotAt: 0,
  ...changes,
});

describe('near the quota', () => {
  const quota = 1000 * kB;
  const some = [
    usage('new', { snapshotAt: 9 }),
    usage('old', { snapshotAt: 1 }),
    usage('older', { snapshotAt: 0 }),
  ];

  it.each([
    { used: 750 * kB, chosen: [] },
    { used: 751 * kB, chosen: ['older'] },
    { used: 900 * kB, chosen: ['older', 'old'] },
    { used: 5000 * kB, chosen: ['older', 'old', 'new'] },
  ])(
    '[R10] requests as many snapshots as needed, oldest journal first: $used → $chosen',
    ({ used, chosen }) => {
      expect(toSnapshot(some, used, quota)).toEqual(chosen);
    },
  );

  it('[R10] ignores journals that are smaller than the screen that would replace them', () => {
    expect(toSnapshot([usage('a', { journalBytes: 10 * kB })], 2 * quota, quota)).toEqual([]);
  });
});

describe('over the quota', () => {
  const some = [
    usage('busy', { writtenAt: 9 }),
    usage('quiet', { writtenAt: 1 }),
    usage('exited late', { exited: true, writtenAt: 8 }),
    usage('exited', { exited: true, writtenAt: 2 }),
    usage('empty', { droppableBytes: 0 }),
  ];

  it.each([
    { excess: 0, running: true, chosen: [] },
    { excess: 1, running: true, chosen: ['exited'] },
    { excess: 201 * kB, running: true, chosen: ['exited', 'exited late'] },
    { excess: 401 * kB, running: true, chosen: ['exited', 'exited late', 'quiet'] },
    { excess: 800 * kB, running: true, chosen: ['exited', 'exited late', 'quiet', 'busy'] },
    { excess: 801 * kB, running: true, chosen: null },
    { excess: 401 * kB, running: false, chosen: null },
  ])('[R10] $excess bytes, running ones too: $running → $chosen', ({ excess, running, chosen }) => {
    expect(toDrop(some, excess, running)).toEqual(chosen);
  });

  it('[R10] frees enough or nothing, and never one session more than needed', () => {
    const anyUsages = fc.array(
      fc.record({ droppableBytes: fc.nat(1000), exited: fc.boolean(), writtenAt: fc.nat(5) }),
      { maxLength: 8 },
    );
    checkProperty(
      'quota-choice',
      fc.property(anyUsages, fc.nat(5000), fc.boolean(), (drawn, excess, mayDropRunning) => {
        const usages = drawn.map((changes, index) => usage(String(index), changes));
        const freed = (ids: readonly string[]) =>
          usages
            .filter(({ id }) => ids.includes(id))
            .reduce((sum, { droppableBytes }) => sum + droppableBytes, 0);
        const chosen = toDrop(usages, excess, mayDropRunning);
        const candidates = usages.filter(({ exited }) => exited || mayDropRunning).map(({ id }) => id);
        if (chosen === null) expect(freed(candidates)).toBeLessThan(excess);
        if (chosen === null) return;
        expect(freed(chosen)).toBeGreaterThanOrEqual(excess);
        if (chosen.length > 0) expect(freed(chosen.slice(0, -1))).toBeLessThan(excess);
      }),
    );
  });

  it('[R10] requests snapshots before it drops a session, and restores only sessions without need for that', () => {
    expect([returnLimit(1000), softLimit(1000)]).toEqual([500, 750]);
  });
});
