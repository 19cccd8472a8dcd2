/** From frames to a screen: snapshots, whole and in parts. */
import { describe, expect, it } from 'vitest';
import { IncomingSnapshot } from '../../client/incoming-snapshot.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { encodeSize } from '../../protocol/frame.ts';
import { SNAPSHOT_MAX_BYTES } from '../../protocol/limits.ts';
import type { ServerMessageOf } from '../../protocol/messages/server-message.ts';
import { bytes, MOST_PIECES, PIECE, SIZE, sentUntilRefused, settled, viewer } from './output-viewer.ts';

const SCROLLBACK: ServerMessageOf<'scrollback'> = {
  type: 'scrollback',
  session: 's1',
  handle: 7,
  kind: 'delta',
  from: 0,
  to: 0,
  lost: 0,
  ...SIZE,
  bytes: 0,
};

describe('a snapshot replay', () => {
  it('[OU8] is shown as a whole, then what arrived meanwhile', async () => {
    const { announces, happened, output, prints, sends } = viewer();
    expect(output.resumesFrom).toBe(undefined);
    announces({ kind: 'snapshot', from: 50, to: 52, bytes: 6, lost: 3, cols: 100, rows: 30 });
    sends('snapshot', 0, bytes('scr'));
    prints(50, 'ab');
    sends('resize', 52, encodeSize({ cols: 90, rows: 20 }));
    await settled();
    expect(happened()).toEqual([]);
    sends('snapshot', 3, bytes('een'));
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":50,"lost":3}',
      'size 100×30',
      'screen',
      'ab',
      expect.stringMatching('caught up'),
      'size 90×20',
      expect.stringMatching('caught up'),
    ]);
    expect(output.next).toBe(52);
  });

  it('of zero bytes is shown at once', async () => {
    const { announces, happened } = viewer();
    announces({ kind: 'snapshot', from: 5, to: 5, bytes: 0 });
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":5,"lost":0}',
      'size 80×24',
      '',
      expect.stringMatching('caught up'),
    ]);
  });

  it('[OU8] that is cut off in the middle, or replaced while it is inflated, is never shown', async () => {
    const { announces, happened, output, sends } = viewer(3);
    announces({ kind: 'snapshot', from: 50, to: 50, bytes: 6 });
    output.forgetReplay();
    expect(output.resumesFrom).toBe(undefined);
    sends('snapshot', 0, bytes('screen'));
    announces({ kind: 'snapshot', from: 60, to: 60, bytes: 3 });
    sends('snapshot', 0, bytes('old'));
    announces({ kind: 'snapshot', from: 70, to: 70, bytes: 3 });
    await settled();
    expect(happened()).toEqual([]);
    sends('snapshot', 0, bytes('new'));
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":70,"lost":0}',
      'size 80×24',
      'new',
      expect.stringMatching('caught up'),
    ]);
  });

  it('[OU15] is shown before the history that follows it', async () => {
    const seen = Promise.withResolvers<void>();
    const { announces, happened, parses, prints, sends } = viewer(undefined, () => seen.promise);
    announces({ kind: 'snapshot', from: 10, to: 10, bytes: 6 });
    sends('snapshot', 0, bytes('screen'));
    announces({ kind: 'snapshot', from: 10, to: 10, bytes: 11, history: true });
    sends('snapshot', 0, bytes('history and'));
    prints(10, ' more');
    await settled();
    parses();
    await settled();
    expect(happened()).toEqual([
      'reset {"kind":"snapshot","offset":10,"lost":0}',
      'size 80×24',
      'screen',
      'caught up, news',
      'ack 10',
    ]);
    seen.resolve();
    await settled();
    expect(happened().filter((what) => what !== 'caught up')).toEqual([
      'reset {"kind":"snapshot","offset":10,"lost":0}',
      'size 80×24',
      'history and',
      ' more',
    ]);
  });

  it('[OU15] with its history does not change what was lost', () => {
    const { announces, output } = viewer(3);
    announces({ from: 10, to: 10, lost: 7 });
    announces({ kind: 'snapshot', from: 10, to: 10, lost: 0, bytes: 4, history: true });
    expect(output.lostBytes).toBe(7);
  });
});

describe('a snapshot in parts', () => {
  it('is complete with its last byte', () => {
    const snapshot = new IncomingSnapshot(6, 50, SIZE);
    expect([
      snapshot.add(0, bytes('abc')),
      snapshot.add(3, bytes('de')),
      snapshot.add(5, bytes('f')),
    ]).toEqual([false, false, true]);
    expect(new TextDecoder().decode(snapshot.bytes)).toBe('abcdef');
  });

  it.each([
    ['out of order', 3, 'x'],
    ['again', 0, 'x'],
    ['beyond the end', 2, 'xxxxx'],
  ])('[WF9] accepts no part %s', (_, offset, piece) => {
    const snapshot = new IncomingSnapshot(6, 50, SIZE);
    snapshot.add(0, bytes('ab'));
    expect(() => snapshot.add(offset, bytes(piece))).toThrow(
      `a piece of a snapshot at ${offset}, where 2 was due`,
    );
  });

  it('[SEC10] [X2] is not allocated beyond the limit', () => {
    const most = SNAPSHOT_MAX_BYTES;
    expect(new IncomingSnapshot(most, 0, SIZE).bytes).toHaveLength(most);
    expect(() => new IncomingSnapshot(most + 1, 0, SIZE)).toThrow(`a snapshot of ${most + 1} bytes`);
  });

  it('[X2] that cannot be inflated ends the connection, and shows nothing', async () => {
    const { output, happened, sends } = viewer(undefined, undefined, async () => {
      throw new ProtocolError('a snapshot of over 5 bytes when inflated');
    });
    output.replayBegins({ ...SCROLLBACK, kind: 'snapshot', bytes: 2 });
    sends('snapshot', 0, bytes('ab'));
    await settled();
    expect(happened()).toEqual(['broken: a snapshot of over 5 bytes when inflated']);
  });

  it('[X2] [RL23] keeps what follows it waiting, up to a limit', () => {
    const { output, sends } = viewer();
    output.replayBegins({ ...SCROLLBACK, kind: 'snapshot', bytes: 2 });
    expect(sentUntilRefused((sent) => sends('output', sent, PIECE))).toBeLessThanOrEqual(MOST_PIECES);
  });
});
