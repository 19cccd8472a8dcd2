/** What an agent does before another one takes over. */
import { describe, expect, it } from 'vitest';
import {
  FLOOD_CHECKPOINT_BYTES,
  LEAVE_MAX_MS,
  LOOK_MS,
  QUIET_CHECKPOINT_BYTES,
  QUIET_MS,
} from '../../../vm-agent/kept/kept-storage.ts';
import type { Taken } from '../../../vm-agent/screen/snapshot.ts';
import { openKept as open, snapshotAt } from './kept-session.ts';

describe('an agent that leaves for another', () => {
  it('[F27] leaves its screen as it is, once that is not far behind', async () => {
    let drained = () => {};
    const { storages, prints, hears, scopes } = open({
      drain: () =>
        new Promise((resolve) => {
          drained = resolve;
        }),
    });
    await prints(QUIET_CHECKPOINT_BYTES);
    hears();
    const left = storages.leave();
    await prints(100);
    expect(scopes).toEqual([]);
    drained();
    await left;
    expect(scopes).toEqual(['all']);
    const end = QUIET_CHECKPOINT_BYTES + 100;
    expect(hears()).toEqual([`7 checkpoint ${end} 80 10`, `7 retain ${end}`, 'flushed']);
  });

  it('[F27] takes one after the one that is being taken', async () => {
    const takes: ((taken: Taken) => void)[] = [];
    const { storages, prints, hears } = open({
      snapshot: () => new Promise((resolve) => takes.push(resolve)),
    });
    await prints(FLOOD_CHECKPOINT_BYTES);
    hears();
    const left = storages.leave();
    await prints(1);
    expect(takes.length).toBe(1);
    takes[0]?.(snapshotAt(100));
    await prints(1);
    expect(takes.length).toBe(2);
    takes[1]?.(snapshotAt(200));
    await left;
    expect(hears().filter((line) => !line.includes('retain'))).toEqual([
      '7 drains',
      '7 checkpoint 100 80 10',
      '7 checkpoint 200 80 10',
      'flushed',
    ]);
  });

  it('[F27] leaves at once if what was printed since the last screen is soon drawn, and if there is no session', async () => {
    const { storages, storage, prints, hears } = open();
    await prints(QUIET_CHECKPOINT_BYTES - 1);
    hears();
    await storages.leave();
    expect(hears()).toEqual(['flushed']);
    await prints(1);
    storage.remove();
    await storages.leave();
    expect(hears()).toEqual(['flushed']);
  });

  it('[F27] does not wait for long', async () => {
    const { clock, storages, prints, passes } = open({ drain: () => new Promise(() => {}) });
    await prints(QUIET_CHECKPOINT_BYTES);
    let hasLeft = false;
    void storages.leave().then(() => {
      hasLeft = true;
    });
    await passes(LEAVE_MAX_MS - 1);
    expect(hasLeft).toBe(false);
    await passes(1);
    expect(hasLeft).toBe(true);
    await passes(QUIET_MS + LOOK_MS);
    expect(clock.pending).toBe(0);
  });
});
