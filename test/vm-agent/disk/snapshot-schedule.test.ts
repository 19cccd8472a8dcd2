import { describe, expect, it } from 'vitest';
import {
  ASK_AGAIN_MS,
  JOURNAL_FULL_BYTES,
  RETRY_MS,
  SNAPSHOT_AGE_MS,
  SNAPSHOT_EVERY_MS,
  SnapshotSchedule,
} from '../../../vm-agent/disk/snapshot-schedule.ts';

const quiet = { journalBytes: 0, end: 0, isBroken: false, isPressed: false };
const busy = { ...quiet, end: 1, journalBytes: JOURNAL_FULL_BYTES };

describe('a snapshot is due', () => {
  it.each([
    { name: 'not while nothing is printed', at: 10 * SNAPSHOT_AGE_MS, situation: quiet, due: false },
    { name: 'not for a little output', at: 1, situation: { ...quiet, end: 1 }, due: false },
    { name: 'when the journal is full', at: 1, situation: busy, due: true },
    { name: 'when a little output is old', at: SNAPSHOT_AGE_MS, situation: { ...quiet, end: 1 }, due: true },
    {
      name: 'when the quota is nearly used up',
      at: 1,
      situation: { ...quiet, end: 1, isPressed: true },
      due: true,
    },
    { name: 'when the journal is broken', at: 1, situation: { ...quiet, isBroken: true }, due: true },
  ])('[R8] $name', ({ at, situation, due }) => {
    expect(new SnapshotSchedule(0, 0).isDue(at, situation)).toBe(due);
  });

  it('[R8] at most once a second', () => {
    const schedule = new SnapshotSchedule(0, 0);
    schedule.asked(100);
    schedule.written(150, 0);
    expect(schedule.isDue(100 + SNAPSHOT_EVERY_MS - 1, busy)).toBe(false);
    expect(schedule.isDue(100 + SNAPSHOT_EVERY_MS, busy)).toBe(true);
  });

  it('[R8] again if the last request is not answered', () => {
    const schedule = new SnapshotSchedule(0, 0);
    schedule.asked(0);
    expect(schedule.isDue(ASK_AGAIN_MS - 1, busy)).toBe(false);
    expect(schedule.isDue(ASK_AGAIN_MS, busy)).toBe(true);
  });

  it('[R10] only after a pause if the disk refused the last one', () => {
    const schedule = new SnapshotSchedule(0, 0);
    schedule.asked(0);
    schedule.refused(10);
    expect(schedule.isFailing).toBe(true);
    expect(schedule.isDue(10 + RETRY_MS - 1, { ...busy, isBroken: true })).toBe(false);
    expect(schedule.isDue(10 + RETRY_MS, { ...busy, isBroken: true })).toBe(true);
    schedule.written(6000, 1);
    expect(schedule.isFailing).toBe(false);
  });
});
