/** How much output is kept for a screen that does not show it. */
import { describe, expect, it } from 'vitest';
import { encodeSize } from '../../protocol/frame.ts';
import {
  FOLLOW_QUEUE_MAX_BYTES,
  PAYLOAD_MAX_BYTES,
  QUEUED_ITEM_BYTES,
  SCREEN_BEHIND_BYTES,
  SNAPSHOT_MAX_BYTES,
} from '../../protocol/limits.ts';
import { bytes, MOST_PIECES, PIECE, SIZE, sentUntilRefused, settled, viewer } from './output-viewer.ts';

describe('a screen that does not show its output', () => {
  const MOST_ITEMS = FOLLOW_QUEUE_MAX_BYTES / QUEUED_ITEM_BYTES;

  it('[RL23] receives output up to a limit', () => {
    const { announces, sends } = viewer(0);
    announces({ to: 0 });
    expect(sentUntilRefused((offset) => sends('output', offset, PIECE))).toBeLessThanOrEqual(MOST_PIECES);
  });

  it('[RL23] receives as much again each time it has shown it', () => {
    const { announces, sends, parses, happened } = viewer(0);
    announces({ to: 0 });
    for (let times = 0; times < 3 * MOST_PIECES; times++) {
      sends('output', times * PIECE.length, PIECE);
      sends('resize', 0, encodeSize(SIZE));
      if (times % 100 === 0) parses();
    }
    expect(happened()).not.toContain('fell behind');
  });

  it.each([
    ['short frames', (to: ReturnType<typeof viewer>, times: number) => to.prints(times, 'x')],
    [
      'sizes',
      (to: ReturnType<typeof viewer>, times: number) =>
        to.sends('resize', 0, encodeSize({ cols: 2 + (times % 9), rows: 24 })),
    ],
    [
      'beginnings',
      (to: ReturnType<typeof viewer>, times: number) => to.announces({ from: times * 7, to: times * 7 }),
    ],
  ])('[RL23] receives %s up to a limit', (_, send) => {
    const to = viewer(0);
    to.announces({ to: 0 });
    let times = 0;
    expect(sentUntilRefused(() => send(to, times++))).toBeLessThanOrEqual(MOST_ITEMS);
  });

  it.each([
    ['empty frames', (to: ReturnType<typeof viewer>) => to.prints(0, '')],
    [
      'announced histories',
      (to: ReturnType<typeof viewer>) => to.announces({ kind: 'snapshot', bytes: 0, history: true }),
    ],
  ])('[RL23] keeps %s waiting behind a snapshot, up to a limit', (_, send) => {
    const to = viewer(0);
    to.announces({ kind: 'snapshot', bytes: 1000 });
    expect(sentUntilRefused(() => send(to))).toBeLessThanOrEqual(MOST_ITEMS);
  });

  it('[RL23] acknowledges resizes, even if no output follows them', () => {
    const { announces, sends, parses, happened } = viewer(0);
    announces({ to: 0 });
    for (let times = 0; times < 2 * MOST_ITEMS; times++) {
      sends('resize', 0, encodeSize(SIZE));
      if (times % 1000 === 0) parses();
    }
    expect(happened()).not.toContain('fell behind');
  });

  it('[RL23] is not asked for its progress between the beginning of a snapshot and the snapshot', async () => {
    for (let sizes = 60; sizes < 68; sizes++) {
      const { announces, sends, happened } = viewer(0);
      for (let times = 0; times < sizes; times++) sends('resize', 0, encodeSize(SIZE));
      announces({ kind: 'snapshot', bytes: 6 });
      sends('snapshot', 0, bytes('screen'));
      await settled();
      const told = happened();
      expect(told[told.findIndex((what) => what.startsWith('reset')) + 2]).toBe('screen');
    }
  });

  it('[RL23] lets the agent finish a snapshot that it has begun to send', () => {
    const { announces, sends, happened } = viewer(0);
    announces({ kind: 'snapshot', bytes: 6 });
    for (let times = 0; times < MOST_PIECES - 2; times++) sends('output', times * PIECE.length, PIECE);
    expect(happened()).not.toContain('fell behind');
  });

  it.each([
    ['known', 0, []],
    ['new', 10, ['xxx']],
  ])('[RL23] keeps up if what waited for a snapshot is %s', async (_, from, shows) => {
    const { announces, output, owner, parses, prints, sends, happened } = viewer(0);
    for (const picture of ['first', 'second']) {
      announces({ kind: 'snapshot', from: 10, to: 10, bytes: picture.length });
      sends('snapshot', 0, bytes(picture));
      await settled();
    }
    prints(from, 'xxx');
    while (!output.isBehind) prints(from, '');
    announces({ kind: 'snapshot', from: 9, to: 9, bytes: 5, history: true });
    happened();
    owner.isAttached = false;
    parses();
    await settled();
    expect(
      happened()
        .slice(2)
        .filter((what) => !what.startsWith('caught')),
    ).toEqual(['second', ...shows, 'kept up']);
  });

  it('[RL23] drops what waited once it has asked again', async () => {
    const { announces, output, owner, prints, sends } = viewer(0);
    announces({ kind: 'snapshot', from: 10, to: 10, bytes: 6 });
    sends('snapshot', 0, bytes('screen'));
    prints(10, 'xxx');
    while (!output.isBehind) prints(10, '');
    announces({ kind: 'snapshot', from: 9, to: 9, bytes: 5, history: true });
    owner.isQuick = true;
    owner.keptUp = () => {
      output.forgetReplay();
      owner.isListening = false;
    };
    await settled();
    output.forgetReplay(); // and no history is in flight
    expect(output.resumesFrom).toBe(13);
  });

  it('[RL23] counts nothing of a replay that is no longer awaited', async () => {
    const { announces, output, sends, happened } = viewer(0);
    for (const from of [0, 1]) {
      announces({ kind: 'snapshot', from, to: from, bytes: 1 });
      sends('snapshot', 0, bytes('x'));
      await settled();
    }
    // The second one waits until the first is shown, and so does what follows.
    for (let times = 0; times < MOST_PIECES - 2; times++) sends('output', times * PIECE.length, PIECE);
    expect(happened()).toContain('fell behind');
    output.forgetReplay();
    expect(output.isBehind).toBe(false);
  });

  it('[RL23] makes the agent stop in time, and continue when half of it is shown', () => {
    const { announces, output, owner, sends, parses, happened } = viewer(0);
    announces({ to: 0 });
    const enough = SCREEN_BEHIND_BYTES / PAYLOAD_MAX_BYTES;
    for (let times = 0; times < enough - 1; times++) sends('output', times * PIECE.length, PIECE);
    expect(happened()).not.toContain('fell behind');
    for (let times = enough - 1; times < enough + 8; times++) sends('output', times * PIECE.length, PIECE);
    expect(happened().filter((what) => what.startsWith('fell'))).toEqual(['fell behind']);
    expect(output.isBehind).toBe(true);
    owner.isAttached = false;
    parses();
    expect(happened()).toEqual(['kept up']);
    expect(output.isBehind).toBe(false);
  });

  it('[RL23] receives one snapshot at a time: the next one stays compressed', async () => {
    const unpacked: number[] = [];
    const { announces, happened, parses, sends } = viewer(undefined, undefined, async (found) => {
      unpacked.push(found.length);
      return found;
    });
    for (const [at, picture] of ['first', 'second', 'the third'].entries()) {
      announces({ kind: 'snapshot', from: at, to: at, bytes: picture.length });
      sends('snapshot', 0, bytes(picture));
      await settled();
    }
    expect(unpacked).toEqual([5]);
    expect(happened()).toContain('first');
    parses();
    await settled();
    // The one in between was replaced before it could be shown.
    expect(unpacked).toEqual([5, 9]);
    expect(happened()).toContain('the third');
  });

  it('[RL23] [WF9] ends the connection for an error that is found only after a snapshot', async () => {
    const { announces, happened, sends } = viewer();
    announces({ kind: 'snapshot', bytes: 1 });
    announces({ kind: 'snapshot', bytes: SNAPSHOT_MAX_BYTES + 1, history: true });
    sends('snapshot', 0, bytes('x'));
    await settled();
    expect(happened().at(-1)).toBe(`broken: a snapshot of ${SNAPSHOT_MAX_BYTES + 1} bytes`);
  });
});
