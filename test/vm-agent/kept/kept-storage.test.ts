/** What an agent leaves with the keeper for the next one, and when. */
import { describe, expect, it } from 'vitest';
import {
  FLOOD_CHECKPOINT_BYTES,
  LOOK_MS,
  CHECKPOINT_MAX_BYTES as MAX,
  QUIET_CHECKPOINT_BYTES,
  QUIET_MS,
} from '../../../vm-agent/kept/kept-storage.ts';
import type { Scope } from '../../../vm-agent/screen/serializer/ansi.ts';
import type { Taken } from '../../../vm-agent/screen/snapshot.ts';
import { someMetadata } from '../disk/some-session.ts';
import { openKept as open, snapshotAt } from './kept-session.ts';

describe('what an agent leaves with the keeper', () => {
  it('[K2] is the metadata at once, and whenever it changes', () => {
    const { storage, told, metadata, inner } = open();
    expect(told).toEqual(['7 metadata']);
    storage.update({ title: 'vim' });
    storage.resized(5, { cols: 100, rows: 30 });
    expect(told.length).toBe(3);
    expect(metadata()).toEqual(someMetadata({ title: 'vim', size: { cols: 100, rows: 30 } }));
    expect(inner).toEqual(['update', 'resized 5']);
  });

  it('also goes where it was stored before', async () => {
    const { storage, inner, prints, clock } = open({ from: 9 });
    await prints(3);
    storage.remove();
    expect(inner).toEqual(['append 9 3', 'remove']);
    expect(clock.pending).toBe(0);
  });

  it('[K2] are the commands, a moment after they have changed', async () => {
    const { told, prints, passes, state } = open();
    told.length = 0;
    await prints(1);
    await passes(LOOK_MS - 1);
    expect(told).toEqual([]);
    await passes(1);
    expect(told).toEqual(['7 commands']);
    await passes(LOOK_MS);
    expect(told).toEqual(['7 commands']);
    state.version++;
    await passes(LOOK_MS);
    expect(told.length).toBe(2);
  });

  it('[K2] is the screen with its history once a session that has printed much is quiet', async () => {
    const { prints, passes, hears, scopes } = open();
    hears();
    await prints(QUIET_CHECKPOINT_BYTES);
    await passes(QUIET_MS - 1);
    expect(hears()).toEqual([]);
    await passes(LOOK_MS);
    expect(hears()).toEqual([
      `7 checkpoint ${QUIET_CHECKPOINT_BYTES} 80 10`,
      `7 retain ${QUIET_CHECKPOINT_BYTES}`,
    ]);
    expect(scopes).toEqual(['all']);
  });

  it('is no screen while a session has printed little since the last one', async () => {
    const { prints, passes, hears, scopes, clock } = open({ checkpointAt: 100, from: 5000 });
    hears();
    await prints(QUIET_CHECKPOINT_BYTES - 4901);
    await passes(QUIET_MS + LOOK_MS);
    expect([hears(), scopes, clock.pending]).toEqual([[], [], 0]);
    await prints(1);
    await passes(QUIET_MS + LOOK_MS);
    expect(hears().length).toBe(2);
  });

  it('waits for a session that goes on printing', async () => {
    const { prints, passes, scopes } = open();
    await prints(QUIET_CHECKPOINT_BYTES);
    for (let n = 0; n < 10; n++) {
      await passes(QUIET_MS - 1);
      await prints(1);
    }
    expect(scopes).toEqual([]);
  });

  it('[K2] is the screen alone during a flood', async () => {
    const { prints, hears, scopes } = open();
    hears();
    await prints(FLOOD_CHECKPOINT_BYTES - 1);
    expect(scopes).toEqual([]);
    await prints(1);
    expect(scopes).toEqual(['screen']);
    expect(hears()).toEqual([
      `7 checkpoint ${FLOOD_CHECKPOINT_BYTES} 80 10`,
      `7 retain ${FLOOD_CHECKPOINT_BYTES}`,
    ]);
    await prints(FLOOD_CHECKPOINT_BYTES - 1);
    expect(scopes).toEqual(['screen']);
  });

  it('[K2] is not asked for again because the screen is far behind', async () => {
    const { prints, scopes } = open({}, () => snapshotAt(100));
    await prints(FLOOD_CHECKPOINT_BYTES);
    await prints(FLOOD_CHECKPOINT_BYTES - 1);
    expect(scopes).toEqual(['screen']);
    await prints(1);
    expect(scopes).toEqual(['screen', 'screen']);
  });

  it('is one screen at a time', async () => {
    let take: (taken: Taken) => void = () => {};
    let asked = 0;
    const { prints, hears } = open({
      snapshot: () => {
        asked++;
        return new Promise((resolve) => {
          take = resolve;
        });
      },
    });
    hears();
    await prints(FLOOD_CHECKPOINT_BYTES);
    await prints(FLOOD_CHECKPOINT_BYTES);
    expect(asked).toBe(1);
    take(snapshotAt(100));
    await prints(1);
    expect(hears()).toEqual(['7 checkpoint 100 80 10', '7 retain 100']);
    await prints(1);
    expect(asked).toBe(2);
  });

  it('[M1] is as much of the history as fits', async () => {
    const fits = { all: 'too large', recent: snapshotAt(5, MAX + 1), screen: snapshotAt(5, MAX) } as const;
    const { prints, passes, hears, scopes } = open({}, (scope) => fits[scope]);
    hears();
    await prints(QUIET_CHECKPOINT_BYTES);
    await passes(QUIET_MS + LOOK_MS);
    expect(scopes).toEqual(['all', 'recent', 'screen']);
    expect(hears()).toEqual([`7 checkpoint 5 80 ${MAX}`, '7 retain 5']);
  });

  it.each<[string, Taken, Scope[]]>([
    ['is too large in every way', 'too large', ['all', 'recent', 'screen']],
    ['was lost with its thread', undefined, ['all']],
  ])('[M1] is only the last output if the screen %s', async (_, taken, asked) => {
    const { prints, passes, hears, scopes } = open({}, () => taken);
    hears();
    await prints(QUIET_CHECKPOINT_BYTES);
    await passes(QUIET_MS + LOOK_MS);
    expect(scopes).toEqual(asked);
    expect(hears()).toEqual([`7 retain ${QUIET_CHECKPOINT_BYTES}`]);
  });
});
