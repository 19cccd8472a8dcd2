/** What one client was sent and owes, with edge cases: who may set the pace, who has credit, and the round trip. */
import { describe, expect, it } from 'vitest';
import { ACK_QUIET_MS, ECHO_ROOM_MAX_BYTES } from '../../../protocol/limits.ts';
import type { Attachment } from '../../../vm-agent/output/attachment.ts';
import { CreditWindow, WINDOW_FIRST_BYTES } from '../../../vm-agent/output/credit-window.ts';
import {
  ALWAYS_ROOM_BYTES,
  DeliveryState,
  STALLED_AFTER_MS,
} from '../../../vm-agent/output/delivery-state.ts';

/** A window that also records the reported round trips. */
class TimedWindow extends CreditWindow {
  readonly roundTrips: number[] = [];

  override acknowledged(bytes: number, roundTripMs: number, now: number): void {
    this.roundTrips.push(roundTripMs);
    super.acknowledged(bytes, roundTripMs, now);
  }
}

function delivery(role: Attachment['role'] = 'operator') {
  const window = new TimedWindow();
  return { window, delivery: new DeliveryState({ channel: 1, role, instance: 'i', history: 'all' }, window) };
}

describe('a delivery', () => {
  it('[OU5] of an operator paces the program until it has owed an acknowledgement for two seconds', () => {
    const { delivery: one } = delivery();
    expect(one.maySetPace(1_000_000)).toBe(true);
    one.send(10, 500, false);
    one.send(20, 900, false);
    expect(one.owesSince).toBe(500);
    expect(one.maySetPace(500 + STALLED_AFTER_MS - 1)).toBe(true);
    expect(one.maySetPace(500 + STALLED_AFTER_MS)).toBe(false);
    // A partial acknowledgement counts as a sign of life, a complete one pays the debt.
    one.acknowledge(10, 2_600);
    expect(one.owesSince).toBe(2_600);
    expect(one.maySetPace(2_600)).toBe(true);
    one.acknowledge(20, 2_700);
    expect(one.owesSince).toBe(null);
    expect(one.maySetPace(1_000_000)).toBe(true);
  });

  it('[OU5] of a viewer never paces it', () => {
    const { delivery: one } = delivery('viewer');
    expect(one.maySetPace(0)).toBe(false);
    one.send(10, 0, true);
    one.acknowledge(10, 1);
    expect(one.maySetPace(1)).toBe(false);
  });

  it('ignores acknowledgements that are late, repeated, or for bytes that were not sent', () => {
    const { delivery: one, window } = delivery();
    one.send(100, 0, true);
    expect(one.acknowledge(0, 1)).toBe(false);
    expect(one.acknowledge(101, 1)).toBe(false);
    expect(one.acknowledge(60, 1)).toBe(true);
    expect(one.acknowledge(60, 2)).toBe(false);
    expect(one.acknowledge(59, 2)).toBe(false);
    expect(window.outstandingBytes).toBe(40);
    expect(one.acknowledge(100, 3)).toBe(true);
    expect(window.outstandingBytes).toBe(0);
  });

  it('counts partial acknowledgements, next to what other sessions have in flight to the same client', () => {
    const { delivery: one, window } = delivery();
    window.sent(10_000, 0);
    one.send(100, 0, true);
    one.acknowledge(20, 1);
    one.acknowledge(40, 2);
    expect(window.outstandingBytes).toBe(10_060);
    one.abandon();
    expect([window.outstandingBytes, window.inFlightBytes]).toEqual([10_000, 10_060]);
    window.sent(10 * WINDOW_FIRST_BYTES, 3);
    one.goOnAt(100_000);
    expect([one.fits(ALWAYS_ROOM_BYTES), one.fits(ALWAYS_ROOM_BYTES + 1)]).toEqual([true, false]);
  });

  it('counts sent bytes once, however often they are reported', () => {
    const { delivery: one, window } = delivery();
    one.send(100, 0, false);
    one.send(100, 5, false);
    one.send(40, 5, false);
    expect([one.sent, window.outstandingBytes]).toEqual([100, 100]);
  });

  it('[OU9] has room for an echo whatever other sessions have in flight to the same client', () => {
    const { delivery: one, window } = delivery();
    window.sent(10 * WINDOW_FIRST_BYTES, 0);
    expect(window.hasRoom).toBe(false);
    one.send(ALWAYS_ROOM_BYTES - 1, 0, false);
    expect(one.hasRoom).toBe(true);
    expect([one.fits(1), one.fits(2)]).toEqual([true, false]);
    one.send(ALWAYS_ROOM_BYTES, 0, false);
    expect(one.hasRoom).toBe(false);
    expect([one.fits(0), one.fits(1)]).toEqual([true, false]);
    one.acknowledge(1, 1);
    expect(one.hasRoom).toBe(true);
  });

  it('[OU10] may return when its window is half empty, or when everything is acknowledged', () => {
    const { delivery: one, window } = delivery();
    one.send(10, 0, false);
    expect(one.mayReturn).toBe(true);
    window.sent(WINDOW_FIRST_BYTES, 0);
    expect(one.mayReturn).toBe(false);
    one.acknowledge(10, 1);
    expect(one.mayReturn).toBe(true);
  });

  describe('continues', () => {
    it('from the start of its first replay, owing nothing for what came before', () => {
      const { delivery: one, window } = delivery();
      one.goOnAt(500);
      expect([one.sent, window.outstandingBytes, one.owesSince]).toEqual([500, 0, null]);
      one.send(600, 0, true);
      expect(window.outstandingBytes).toBe(100);
      expect(one.acknowledge(500, 1)).toBe(false);
    });

    it('where it was without forgetting bytes in flight', () => {
      const { delivery: one, window } = delivery();
      one.goOnAt(0);
      one.state = 'following';
      one.send(100, 0, true);
      one.goOnAt(100);
      expect([window.outstandingBytes, one.owesSince]).toEqual([100, 0]);
    });

    it('elsewhere, without acknowledging skipped bytes, which stay counted until a later acknowledgement', () => {
      const { delivery: one, window } = delivery();
      one.goOnAt(0);
      one.state = 'returning';
      one.send(100, 0, true);
      one.goOnAt(5_000);
      expect([one.sent, window.outstandingBytes, one.owesSince]).toEqual([5_000, 0, null]);
      expect(one.acknowledge(100, 9)).toBe(false);
      expect(window.inFlightBytes).toBe(100);
      one.send(5_010, 10, true);
      one.acknowledge(5_010, 13);
      expect(window.roundTrips).toEqual([3]);
      expect(window.inFlightBytes).toBe(0);
    });
  });

  it('[X4] owes nothing once it was left, but its bytes in flight stay counted', () => {
    const { delivery: one, window } = delivery();
    one.send(100, 0, true);
    one.acknowledge(30, 5);
    one.abandon();
    expect([window.outstandingBytes, one.owesSince, one.acknowledge(100, 6)]).toEqual([0, null, false]);
    expect(window.inFlightBytes).toBe(70);
  });

  it('[X4] that was left is proven by an acknowledgement of later bytes in another session, not of earlier ones', () => {
    const { delivery: one, window } = delivery();
    const other = new DeliveryState(one.viewer, window);
    other.send(10, 0, true);
    one.send(100, 0, true);
    one.abandon();
    other.send(20, 1, true);
    other.acknowledge(10, 2);
    expect(window.inFlightBytes).toBe(110);
    other.acknowledge(20, 3);
    expect(window.inFlightBytes).toBe(0);
  });

  it('[X4] is proven by an acknowledgement within a batch only as far as what was sent before the batch', () => {
    const { delivery: one, window } = delivery();
    one.send(10, 0, true);
    one.abandon();
    one.send(20, 0, false);
    window.sentSnapshot(1_000, { handle: 1, offset: 0 });
    one.send(30, 4, true);
    one.acknowledge(20, 10);
    expect(window.inFlightBytes).toBe(1_020);
    one.acknowledge(30, 11);
    expect(window.inFlightBytes).toBe(0);
  });

  it('[X4] proves a snapshot by an acknowledgement of bytes sent after it', () => {
    const { delivery: one, window } = delivery();
    one.goOnAt(500);
    window.sentSnapshot(4_000, { handle: 1, offset: 500 });
    one.send(510, 2, true);
    one.acknowledge(510, 3);
    expect(window.inFlightBytes).toBe(0);
  });

  it('[X4] limits echoes without credit over all sessions, also those that were left', () => {
    const { window } = delivery();
    const viewer = { channel: 1, role: 'viewer', instance: 'i', history: 'all' } as const;
    window.sent(10 * WINDOW_FIRST_BYTES, 0);
    const deliveries = Array.from({ length: 20 }, () => new DeliveryState(viewer, window));
    const echo = (one: DeliveryState) => {
      if (!one.fits(ALWAYS_ROOM_BYTES)) return 0;
      one.send(one.sent + ALWAYS_ROOM_BYTES, 0, true);
      return 1;
    };
    const sent = deliveries.reduce((sum, one) => sum + echo(one), 0);
    expect(sent * ALWAYS_ROOM_BYTES).toBe(ECHO_ROOM_MAX_BYTES);
    for (const one of deliveries) one.abandon();
    expect(deliveries.some((one) => echo(one) > 0)).toBe(false);
    const last = new DeliveryState(viewer, window);
    last.send(1, 1, true);
    last.acknowledge(1, 2);
    expect(
      deliveries.reduce((count, one) => count + echo(one), 0),
      'proven',
    ).toBe(sent);
    deliveries[0]?.acknowledge(deliveries[0].sent, 3);
    expect(echo(deliveries[0] as DeliveryState)).toBe(1);
  });
});

describe('a round trip', () => {
  it('[OU9] lasts from sending to the acknowledgement, if one was requested', () => {
    const { delivery: one, window } = delivery();
    one.send(100, 10, true);
    one.acknowledge(100, 47);
    expect(window.roundTrips).toEqual([37]);
  });

  it('[OU4] excludes the quiet time that an unrequested acknowledgement waits for, and is never negative', () => {
    const { delivery: one, window } = delivery();
    one.send(100, 10, false);
    one.acknowledge(100, 10 + ACK_QUIET_MS + 8);
    one.send(200, 100, false);
    one.acknowledge(200, 100 + ACK_QUIET_MS - 20);
    expect(window.roundTrips).toEqual([8, 0]);
  });

  it('is that of the last acknowledged byte, of several sent', () => {
    const { delivery: one, window } = delivery();
    one.send(100, 0, true);
    one.send(200, 20, true);
    one.send(300, 40, true);
    one.acknowledge(200, 60);
    one.acknowledge(300, 100);
    expect(window.roundTrips).toEqual([40, 60]);
  });

  it('of a partial acknowledgement counts from when all of the batch was sent, less the quiet time', () => {
    const { delivery: one, window } = delivery();
    one.send(100, 0, true);
    one.send(200, 20, true);
    one.acknowledge(150, 20 + ACK_QUIET_MS + 5);
    one.acknowledge(200, 200);
    expect(window.roundTrips).toEqual([5, 180]);
  });

  it('counts from the first bytes sent within five milliseconds, unless those requested an acknowledgement', () => {
    const { delivery: one, window } = delivery();
    one.send(100, 0, false);
    one.send(200, 4, true);
    one.acknowledge(200, 30);
    one.send(300, 100, false);
    one.send(400, 105, true);
    one.acknowledge(400, 130);
    one.send(500, 200, true);
    one.send(600, 201, true);
    one.acknowledge(600, 230);
    expect(window.roundTrips).toEqual([30, 25, 29]);
  });
});
