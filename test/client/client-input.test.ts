/** Input for one session, with edge cases: kept, sent, sent again, discarded, and timed. */
import { describe, expect, it } from 'vitest';
import {
  INPUT_RETRY_MS,
  INPUT_WINDOW_BYTES,
  OFFLINE_INPUT_MAX_BYTES,
  OFFLINE_INPUT_MAX_MS,
} from '../../protocol/limits.ts';
import { bytes, text, typist } from './typist.ts';

describe('input that is not acknowledged', () => {
  it('is late after 3 s, until some of it is acknowledged', () => {
    const { clock, input, seen } = typist();
    input.type(bytes('ls'));
    clock.advance(2_999);
    expect(input.isLate).toBe(false);
    const { changes } = seen;
    clock.advance(1);
    expect([input.isLate, seen.changes]).toEqual([true, changes + 1]);
    input.acknowledged(0); // nothing new
    expect(input.isLate).toBe(true);
    input.acknowledged(1);
    expect(input.isLate).toBe(false);
    clock.advance(3_000);
    expect(input.isLate, 'the rest').toBe(true);
    input.acknowledged(2);
    expect([input.isLate, clock.pending]).toEqual([false, 0]);
  });

  it('[U11] triggers a probe of the agent, and is not used to measure the round trip', () => {
    const { answered, clock, input, seen } = typist();
    input.type(bytes('ls'));
    clock.advance(2_999);
    expect(seen.late).toBe(0);
    clock.advance(1);
    expect(seen.late).toBe(1);
    clock.advance(2_000);
    input.acknowledged(2);
    expect(answered).toEqual([]);
  });

  it('is not late while the connection is known to be down; sent again, it has another 3 s', () => {
    const { attach, clock, cutOff, input } = typist();
    input.type(bytes('ls'));
    clock.advance(3_000);
    cutOff();
    expect([input.isLate, clock.pending]).toEqual([false, 0]);
    clock.advance(10_000);
    expect(input.isLate).toBe(false);
    attach(0);
    clock.advance(2_999);
    expect(input.isLate).toBe(false);
    clock.advance(1);
    expect(input.isLate).toBe(true);
  });
});

describe('typed input', () => {
  it('[IN1] is sent at once, is pending until the program has it, and each change is reported', () => {
    const { input, sent, seen } = typist();
    expect(input.type(bytes('ls'))).toBe(true);
    expect([sent, input.pendingBytes, text(input.pending()), input.taken, seen.changes]).toEqual([
      ['0:ls'],
      2,
      'ls',
      0,
      1,
    ]);
    input.acknowledged(2);
    expect([input.pendingBytes, text(input.pending()), input.taken, seen.changes]).toEqual([0, '', 2, 2]);
  });

  it('[IN4] is sent again after a reconnect, from the offset that the agent has', () => {
    const { input, sent, cutOff, attach } = typist();
    input.type(bytes('abc'));
    input.type(bytes('def'));
    cutOff();
    sent.length = 0;
    attach(4);
    expect([sent, input.pendingBytes]).toEqual([['4:ef'], 2]);
  });

  it('[IN4] for another life of the agent is dropped, reported, and forgotten with the next attach', () => {
    const { input, sent, cutOff, attach } = typist();
    input.type(bytes('abc'));
    cutOff();
    sent.length = 0;
    attach(0, true);
    expect([sent, input.discardedBytes, input.pendingBytes]).toEqual([[], 3, 0]);
    attach(0);
    expect(input.discardedBytes).toBe(0);
  });

  it('continues after what this instance had typed before it came back', () => {
    const { input, sent, attach } = typist({ isLive: false });
    input.type(bytes('abc'));
    expect(sent).toEqual([]);
    attach(100);
    expect(sent).toEqual(['100:abc']);
    expect(input.taken).toBe(100);
  });

  it('[IN7] before the first attach is kept, however much and however long', () => {
    const { input, clock, attach, sent } = typist({ isLive: false });
    expect(input.type(new Uint8Array(2 * OFFLINE_INPUT_MAX_BYTES))).toBe(true);
    clock.advance(2 * OFFLINE_INPUT_MAX_MS);
    expect([input.discardedBytes, clock.pending]).toEqual([0, 0]);
    attach(0);
    expect(sent).toHaveLength(1);
  });

  it('[IN7] while disconnected is kept up to four kilobytes, and a loss is reported', () => {
    const { input, sent, seen, cutOff, attach } = typist();
    cutOff();
    expect(input.type(new Uint8Array(OFFLINE_INPUT_MAX_BYTES))).toBe(true);
    const { changes } = seen;
    expect(input.type(bytes('x'))).toBe(false);
    expect([input.discardedBytes, input.pendingBytes, seen.changes]).toEqual([
      1,
      OFFLINE_INPUT_MAX_BYTES,
      changes + 1,
    ]);
    attach(0);
    expect(sent.map((frame) => frame.length - 2)).toEqual([OFFLINE_INPUT_MAX_BYTES]);
  });

  it('[IN7] while disconnected is discarded half a minute after its first byte; what was sent before is not', () => {
    const { input, clock, seen, sent, cutOff, attach } = typist();
    input.type(bytes('sent'));
    cutOff();
    input.type(bytes('old'));
    clock.advance(OFFLINE_INPUT_MAX_MS - 1);
    input.type(bytes('young'));
    expect(input.pendingBytes).toBe(12);
    const { changes } = seen;
    clock.advance(1);
    expect([input.discardedBytes, text(input.pending()), seen.changes]).toEqual([8, 'sent', changes + 1]);
    sent.length = 0;
    attach(0);
    expect([sent, input.discardedBytes]).toEqual([['0:sent'], 0]);
  });

  it('[IN7] during the next interruption has another half a minute', () => {
    const { input, clock, cutOff, attach } = typist();
    cutOff();
    input.type(bytes('a'));
    clock.advance(OFFLINE_INPUT_MAX_MS - 1);
    attach(1);
    expect(clock.pending).toBe(0);
    cutOff();
    input.type(bytes('b'));
    clock.advance(OFFLINE_INPUT_MAX_MS - 1);
    expect(input.pendingBytes).toBe(1);
    clock.advance(1);
    expect(input.pendingBytes).toBe(0);
  });
});

describe('a large paste', () => {
  it('[IN6] is kept completely, and sent as the agent takes it, never more than a window ahead', () => {
    const { input, sent } = typist();
    const length = INPUT_WINDOW_BYTES + 10 * OFFLINE_INPUT_MAX_BYTES;
    expect(input.type(new Uint8Array(length))).toBe(true);
    const sentBytes = () => sent.reduce((sum, frame) => sum + frame.length - frame.indexOf(':') - 1, 0);
    expect([sentBytes(), input.pendingBytes]).toEqual([INPUT_WINDOW_BYTES, length]);
    input.acknowledged(OFFLINE_INPUT_MAX_BYTES);
    expect(sentBytes()).toBe(INPUT_WINDOW_BYTES + OFFLINE_INPUT_MAX_BYTES);
    input.acknowledged(INPUT_WINDOW_BYTES);
    expect(sentBytes()).toBe(length);
  });
});

describe('refused input', () => {
  it('[IN6] asks the agent for its offset once, a moment later, unless the connection is down by then', () => {
    const { input, clock, seen, cutOff } = typist();
    input.refused();
    input.refused();
    clock.advance(INPUT_RETRY_MS - 1);
    expect(seen.asked).toBe(0);
    clock.advance(1);
    expect(seen.asked).toBe(1);
    input.refused();
    cutOff();
    expect(clock.pending).toBe(0);
    input.refused();
    clock.advance(INPUT_RETRY_MS);
    expect(seen.asked).toBe(1);
  });
});

describe('the round trip to the agent', () => {
  it('is measured with the answer to the first thing that was sent, once', () => {
    const { input, clock, answered } = typist();
    clock.advance(1_000);
    input.type(bytes('abc'));
    clock.advance(10);
    input.type(bytes('d'));
    clock.advance(10);
    input.acknowledged(2);
    expect(answered).toEqual([]);
    input.acknowledged(3);
    expect(answered).toEqual([20]);
    clock.advance(5);
    input.acknowledged(4);
    expect(answered).toEqual([20]);
    input.type(bytes('e'));
    clock.advance(7);
    input.acknowledged(5);
    expect(answered).toEqual([20, 7]);
  });

  it('is not measured across an interruption', () => {
    const { input, clock, answered, cutOff, attach } = typist();
    input.type(bytes('a'));
    cutOff();
    clock.advance(9_000);
    attach(0);
    clock.advance(3);
    input.acknowledged(1);
    expect(answered).toEqual([3]);
  });
});
