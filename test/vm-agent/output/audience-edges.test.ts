/** Attaching, leaving, hiding and owing: what an audience reports and what it leaves behind. */
import { describe, expect, it } from 'vitest';
import { PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import type { Attachment } from '../../../vm-agent/output/attachment.ts';
import { Audience, RETURN_AFTER_MS } from '../../../vm-agent/output/audience.ts';
import { WINDOW_FIRST_BYTES } from '../../../vm-agent/output/credit-window.ts';
import { CreditWindows } from '../../../vm-agent/output/credit-windows.ts';
import { STALLED_AFTER_MS } from '../../../vm-agent/output/delivery-state.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const viewer = (channel: number, role: Attachment['role'] = 'operator'): Attachment => ({
  channel,
  role,
  instance: `${channel}`,
  history: 'all',
});

function audience() {
  const clock = new FakeClock();
  const windows = new CreditWindows();
  const told: string[] = [];
  const pace = { isBlocked: false, frameMaxBytes: PAYLOAD_MAX_BYTES, changes: 0 };
  const frames: { offset: number; bytes: number; wantsAck: boolean }[] = [];
  const it = new Audience(
    clock,
    (viewer) => windows.of(viewer),
    {
      output: (offset, { length: bytes }, wantsAck) => frames.push({ offset, bytes, wantsAck }),
      lagging: ({ channel }) => told.push(`${channel} lags`),
      relieved: ({ channel }, has) => told.push(`${channel} back at ${has}`),
      unseen: ({ channel }, { bell }) => told.push(`${channel} ${bell ? 'bell' : 'output'}`),
    },
    (isBlocked, frameMaxBytes) =>
      Object.assign(pace, { isBlocked, frameMaxBytes, changes: pace.changes + 1 }),
  );
  let end = 0;
  return {
    audience: it,
    clock,
    windows,
    told,
    frames,
    pace,
    /** Joins and follows from here. */
    enters(who: Attachment): Attachment {
      it.join(who);
      it.follow(who.channel, end, end);
      return who;
    },
    /** Returns the frame that was sent, if somebody follows. */
    prints(bytes: number): (typeof frames)[number] | undefined {
      const before = frames.length;
      it.deliver(end, new Uint8Array(bytes));
      end += bytes;
      return frames[before];
    },
    answers: (channel: number, offset = end) => it.acknowledge(channel, offset),
  };
}

const FULL = 2 * WINDOW_FIRST_BYTES;

describe('an audience', () => {
  it('owes acknowledgements while any one of several has not answered', () => {
    const { audience: it, enters, prints, answers } = audience();
    enters(viewer(1));
    enters(viewer(2));
    expect(it.isOwed).toBe(false);
    prints(10);
    answers(1);
    expect(it.isOwed).toBe(true);
    answers(2);
    expect(it.isOwed).toBe(false);
  });

  it('knows who follows, who waits for a replay, and who attached again under the same number', () => {
    const { audience: it, enters, prints } = audience();
    const isFollowed = () => prints(1) !== undefined;
    const [old, young] = [viewer(1), viewer(1)];
    it.join(old);
    expect([it.isDue(old), it.isFollowing(old), isFollowed()]).toEqual([true, false, false]);
    it.follow(1, 0, 0);
    expect([it.isDue(old), it.isFollowing(old), isFollowed()]).toEqual([false, true, true]);
    enters(young);
    expect([it.isFollowing(old), it.isFollowing(young), it.isCalm(old), it.isCalm(young)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    it.hide(1);
    expect([it.isFollowing(young), it.watching(), it.channels(), isFollowed()]).toEqual([
      false,
      [],
      [1],
      false,
    ]);
  });

  it('ignores unknown clients', () => {
    const { audience: it, answers, prints, told, frames } = audience();
    it.follow(9, 0, 10);
    it.hide(9);
    answers(9, 5);
    expect([it.leave(9), it.size, it.viewer(9)]).toEqual([false, 0, undefined]);
    prints(10);
    expect([told, frames]).toEqual([[], []]);
  });

  it('[OU19] [X4] keeps bytes in flight counted when a client leaves, hides or reattaches', () => {
    const { audience: it, answers, enters, prints, windows } = audience();
    const onTheWay = () => windows.of(viewer(1)).inFlightBytes;
    enters(viewer(1));
    prints(100);
    expect(onTheWay()).toBe(100);
    enters(viewer(1));
    expect(onTheWay()).toBe(100);
    prints(100);
    it.hide(1);
    expect([onTheWay(), it.isOwed]).toEqual([200, false]);
    enters(viewer(1));
    prints(100);
    expect(it.leave(1)).toBe(true);
    expect(onTheWay()).toBe(300);
    enters(viewer(1));
    prints(100);
    it.stop();
    expect(onTheWay(), 'the session is gone').toBe(400);
    enters(viewer(1));
    prints(1);
    answers(1);
    expect(onTheWay()).toBe(0);
  });

  it('[OU4] requests an acknowledgement at half of a window, and at the end of a replay', () => {
    const { audience: it, clock, enters, prints, windows } = audience();
    enters(viewer(1));
    const half = WINDOW_FIRST_BYTES / 2;
    expect(prints(half - 1)).toEqual({ offset: 0, bytes: half - 1, wantsAck: false });
    expect(prints(1)).toEqual({ offset: half - 1, bytes: 1, wantsAck: true });
    expect(prints(1)).toEqual({ offset: half, bytes: 1, wantsAck: false });
    // The last part of a replay is timed from its sending, without the quiet time of unrequested acknowledgements.
    it.join(viewer(2));
    it.follow(2, 0, 1_000);
    clock.advance(30);
    it.acknowledge(2, 1_000);
    windows.of(viewer(2)).sent(WINDOW_FIRST_BYTES, 40);
    windows.of(viewer(2)).acknowledged(WINDOW_FIRST_BYTES, 30 + 39, 110);
    expect(windows.of(viewer(2)).limitBytes).toBe(2 * WINDOW_FIRST_BYTES);
  });
});

describe('a program', () => {
  it('is told its pace when that changes, and not with every frame', () => {
    const { enters, pace, prints, answers } = audience();
    enters(viewer(1));
    expect(pace).toEqual({ isBlocked: false, frameMaxBytes: WINDOW_FIRST_BYTES / 4, changes: 1 });
    for (let frame = 0; frame < 10; frame++) prints(10);
    answers(1);
    expect(pace.changes).toBe(1);
    prints(FULL);
    expect(pace).toMatchObject({ isBlocked: true, changes: 2 });
    answers(1);
    expect(pace).toMatchObject({ isBlocked: false, changes: 3 });
  });

  it('[OU5] continues when the client it waited for leaves, hides or has stalled', () => {
    for (const end of ['leave', 'hide', 'stall'] as const) {
      const { audience: it, clock, enters, pace, prints } = audience();
      enters(viewer(1));
      prints(FULL);
      expect(pace.isBlocked).toBe(true);
      if (end === 'stall') clock.advance(STALLED_AFTER_MS);
      else it[end](1);
      expect(pace.isBlocked, end).toBe(false);
    }
  });

  it('[OU5] waits for the last of its clients to stall, each with its own timeout', () => {
    const { clock, enters, pace, prints, answers } = audience();
    enters(viewer(1));
    enters(viewer(2));
    prints(10);
    clock.advance(500);
    answers(2, 5); // owes the rest since now
    prints(WINDOW_FIRST_BYTES);
    expect(pace.isBlocked).toBe(true);
    clock.advance(STALLED_AFTER_MS - 500);
    expect(pace.isBlocked).toBe(true);
    clock.advance(499);
    expect(pace.isBlocked).toBe(true);
    clock.advance(1);
    expect(pace.isBlocked).toBe(false);
  });

  it('[OU5] [OU10] keeps the clients that it waits for, and stops sending to those that may not pace it', () => {
    const { enters, prints, told, pace } = audience();
    enters(viewer(1));
    enters(viewer(2));
    enters(viewer(3, 'viewer'));
    expect(prints(FULL), 'one frame for those who are left').toMatchObject({ offset: 0, bytes: FULL });
    expect([pace.isBlocked, told]).toEqual([true, ['2 lags', '3 lags']]);
    const both = audience();
    both.enters(viewer(1));
    both.enters(viewer(2));
    both.prints(WINDOW_FIRST_BYTES);
    expect(both.pace.isBlocked).toBe(true);
    both.prints(WINDOW_FIRST_BYTES);
    expect(both.told).toEqual([]);
  });
});

describe('a lagging client', () => {
  it('[OU10] is not brought back after it has left or hidden the session', () => {
    for (const end of ['leave', 'hide'] as const) {
      const { audience: it, clock, enters, prints, told } = audience();
      enters(viewer(1));
      enters(viewer(2));
      prints(PAYLOAD_MAX_BYTES);
      expect(told).toEqual(['2 lags']);
      it[end](2);
      clock.advance(10 * RETURN_AFTER_MS);
      expect(told).toEqual(['2 lags']);
    }
  });

  it('leaves no timer behind when the session ends', () => {
    const { audience: it, clock, enters, prints, pace } = audience();
    enters(viewer(1));
    enters(viewer(2));
    prints(PAYLOAD_MAX_BYTES);
    expect([pace.isBlocked, clock.pending]).toEqual([true, 2]);
    it.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('a client that hides the session', () => {
  it('[OU13] is told once about output and once about the bell, and again after it was shown', () => {
    const { audience: it, enters, told } = audience();
    enters(viewer(1));
    it.mark('output');
    expect(told).toEqual([]);
    it.hide(1);
    for (const what of ['output', 'output', 'bell', 'bell'] as const) it.mark(what);
    expect(told).toEqual(['1 output', '1 bell']);
    enters(viewer(1));
    it.hide(1);
    it.mark('bell');
    expect(told).toEqual(['1 output', '1 bell', '1 bell']);
  });
});

describe('the credit windows of all clients', () => {
  it('are one per client, until it is gone', () => {
    const windows = new CreditWindows();
    const window = windows.of(viewer(1));
    expect(windows.of(viewer(1))).toBe(window);
    expect(windows.of(viewer(2))).not.toBe(window);
    window.sent(10, 0);
    expect(windows.inFlightBytes).toBe(10);
    windows.delete(1);
    expect(windows.inFlightBytes, '[X4] nothing is on its way to who is gone').toBe(0);
    const next = windows.of(viewer(1));
    expect(next).not.toBe(window);
    next.sent(10, 0);
    windows.clear();
    expect(windows.inFlightBytes).toBe(0);
    expect(windows.of(viewer(1))).not.toBe(next);
  });
});
