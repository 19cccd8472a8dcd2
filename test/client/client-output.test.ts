/** From frames to a screen, with edge cases: replays, gaps, sizes, and when output is acknowledged. */
import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../protocol/errors.ts';
import { encodeSize } from '../../protocol/frame.ts';
import { ACK_QUIET_MS, QUEUED_ITEM_BYTES } from '../../protocol/limits.ts';
import { bytes, SIZE, settled, viewer } from './output-viewer.ts';

describe('held memory', () => {
  it('[RL21] is reported for queued, unshown and snapshot bytes, and all of it is released', async () => {
    const { announces, held, output, parses, prints, sends } = viewer();
    announces({ kind: 'snapshot', bytes: 6 });
    expect(held.bytes).toBe(0);
    sends('snapshot', 0, bytes('scr'));
    expect(held.bytes).toBe(3);
    prints(0, 'behind it');
    expect(held.bytes).toBe(3 + 9 + QUEUED_ITEM_BYTES);
    sends('snapshot', 3, bytes('een'));
    await settled();
    expect(held.bytes).toBeGreaterThanOrEqual(9 + QUEUED_ITEM_BYTES);
    parses();
    expect(held.bytes).toBe(0);
    announces({ kind: 'snapshot', bytes: 6 });
    prints(9, 'more');
    output.forgetReplay();
    expect(held.bytes).toBe(0);
  });

  it('[RL21] beyond the limit is refused with the error of the client', () => {
    const { announces, owner, prints } = viewer(0);
    announces({ from: 0, to: 0 });
    owner.holds = () => {
      throw new ProtocolError('too much');
    };
    expect(() => prints(0, 'x')).toThrow('too much');
  });
});

describe('a replay of bytes', () => {
  it('[OU2] continues where the screen is, and is caught up with its last byte', () => {
    const { announces, happened, output, prints } = viewer(5);
    expect(output.resumesFrom).toBe(5);
    output.left(0);
    output.asked();
    announces({ from: 5, to: 8 });
    expect(happened()).toEqual(['size 80×24']);
    prints(5, 'ab');
    prints(7, 'c');
    expect(happened()).toEqual(['ab', 'c', 'caught up, news']);
    prints(8, 'd');
    expect(happened()).toEqual(['d', 'caught up']);
    expect([output.next, output.lostBytes, output.lastResume?.missedBytes]).toEqual([9, 0, 3]);
  });

  it('[OU3] that starts elsewhere resets the screen, and reports what is lost', () => {
    const { announces, happened, output } = viewer(5);
    announces({ from: 100, to: 100, lost: 95 });
    expect(happened()).toEqual([
      'reset {"kind":"delta","offset":100,"lost":95}',
      'size 80×24',
      expect.stringMatching('caught up'),
    ]);
    expect([output.next, output.lostBytes]).toEqual([100, 95]);
  });

  it('[OU2] shows nothing across a gap and nothing twice', () => {
    const { announces, happened, prints } = viewer(0);
    announces({ to: 0 });
    happened();
    prints(0, 'abc');
    prints(1, 'bcd');
    prints(0, 'abcd');
    prints(9, 'x');
    expect(happened()).toEqual(['abc', 'caught up', 'd', 'caught up', 'missed']);
  });

  it('is not caught up before it was announced, nor after it was abandoned', () => {
    const { announces, happened, output, prints } = viewer(0);
    prints(0, 'a');
    output.settle();
    announces({ from: 1, to: 3 });
    output.forgetReplay();
    prints(1, 'bc');
    output.settle();
    expect(happened()).toEqual(['a', 'size 80×24', 'bc']);
    expect(output.resumesFrom).toBe(3);
  });
});

describe('received data', () => {
  it('[OU13] is not shown while nobody listens', () => {
    const { announces, happened, owner, prints, sends } = viewer(0);
    announces({ to: 0 });
    happened();
    owner.isListening = false;
    prints(0, 'abc');
    sends('resize', 0, encodeSize(SIZE));
    expect(happened()).toEqual([]);
  });

  it('[OU7] with a resize changes the size', () => {
    const { happened, sends } = viewer(0);
    sends('resize', 0, encodeSize({ cols: 132, rows: 43 }));
    sends('ack', 0, bytes(''));
    expect(happened()).toEqual(['size 132×43']);
  });

  it('[OU4] is acknowledged when it has been parsed: at once if requested, else after a quiet period', () => {
    const { announces, clock, happened, parses, prints } = viewer(0);
    announces({ to: 0 });
    happened();
    prints(0, 'abc');
    clock.advance(10 * ACK_QUIET_MS);
    expect(happened()).toEqual(['abc', 'caught up']);
    parses();
    expect(happened()).toEqual([]);
    clock.advance(ACK_QUIET_MS);
    expect(happened()).toEqual(['ack 3']);
    prints(3, 'd', true);
    parses();
    expect(happened()).toEqual(['d', 'caught up', 'ack 4']);
  });

  it('[OU4] is not acknowledged while detached, nor once a new replay has begun', () => {
    const { announces, clock, happened, owner, output, parses, prints } = viewer(0);
    announces({ to: 0 });
    prints(0, 'abc');
    owner.isAttached = false;
    parses();
    owner.isAttached = true;
    prints(3, 'd');
    parses();
    output.forgetReplay();
    expect(clock.pending).toBe(0);
    prints(4, 'e');
    parses();
    announces({ from: 5, to: 5 });
    expect(clock.pending).toBe(0);
    clock.advance(10 * ACK_QUIET_MS);
    expect(happened().filter((what) => what.startsWith('ack'))).toEqual([]);
  });
});
