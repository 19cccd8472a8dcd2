/** What counts as in flight for a client's window and for its workspace. */
import { describe, expect, it } from 'vitest';
import { REPLAYS_IN_FLIGHT_MAX_BYTES, VIEWERS_IN_FLIGHT_MAX_BYTES } from '../../../protocol/limits.ts';
import {
  CreditWindow,
  WINDOW_FIRST_BYTES,
  WINDOW_MAX_BYTES,
  WINDOW_MIN_BYTES,
} from '../../../vm-agent/output/credit-window.ts';
import { OutputInFlight, WORKSPACE_MAX_BYTES } from '../../../vm-agent/output/output-in-flight.ts';

const NAME = { handle: 1, offset: 0 };

describe("a client's window", () => {
  it('[OU9] leaves a new client as much as it has itself, and all together no more than the limit of a workspace', () => {
    const workspace = new OutputInFlight();
    const greedy = Array.from({ length: 200 }, () => new CreditWindow(workspace));
    for (const window of greedy) {
      for (let round = 0; round < 10; round++) {
        window.sent(window.limitBytes, round);
        window.acknowledged(window.outstandingBytes, 1, round);
      }
      const free = workspace.freeBytes;
      window.sent(window.limitBytes, 10);
      expect(window.outstandingBytes).toBe(Math.min(WINDOW_MAX_BYTES, Math.max(WINDOW_MIN_BYTES, free)));
    }
    expect(workspace.bytes).toBeLessThanOrEqual(WORKSPACE_MAX_BYTES + 200 * WINDOW_MIN_BYTES);
    for (const window of greedy) window.close();
    expect(workspace.bytes).toBe(0);
  });

  it('[OU9] [X4] counts bytes in flight for the workspace until they are acknowledged, proven or the client is gone', () => {
    const workspace = new OutputInFlight();
    const [one, other] = [new CreditWindow(workspace), new CreditWindow(workspace)];
    one.sent(100, 0);
    other.sent(50, 0);
    expect([workspace.bytes, workspace.freeBytes]).toEqual([150, WORKSPACE_MAX_BYTES - 150]);
    one.acknowledged(30, 1, 1);
    one.abandon(70);
    expect([workspace.bytes, one.outstandingBytes, one.inFlightBytes]).toEqual([120, 0, 70]);
    one.prove(99);
    expect(workspace.bytes).toBe(120);
    one.prove(100);
    expect([workspace.bytes, one.inFlightBytes]).toEqual([50, 0]);
    other.sentSnapshot(1000, NAME);
    expect(workspace.bytes).toBe(1050);
    other.close();
    other.close();
    expect(workspace.bytes).toBe(0);
  });

  it('[X4] counts nothing for a client that is gone', () => {
    const workspace = new OutputInFlight();
    const window = new CreditWindow(workspace);
    window.close();
    window.sent(10, 0);
    window.sentSnapshot(10, NAME);
    window.abandon(10);
    window.acknowledged(10, 1, 1);
    expect(workspace.bytes).toBe(0);
  });

  it('[X4] counts a snapshot until it is acknowledged by name, oldest first', () => {
    const window = new CreditWindow();
    for (const offset of [7, 7, 8]) window.sentSnapshot(100, { handle: 1, offset });
    window.snapshotAcknowledged({ handle: 2, offset: 7 });
    window.snapshotAcknowledged({ handle: 1, offset: 6 });
    expect(window.inFlightBytes).toBe(300);
    window.snapshotAcknowledged({ handle: 1, offset: 7 });
    expect(window.inFlightBytes).toBe(200);
    window.snapshotAcknowledged({ handle: 1, offset: 8 });
    expect(window.inFlightBytes).toBe(0);
  });

  it('[X4] remembers a limited number of left sessions: beyond it, they are proven together', () => {
    const window = new CreditWindow();
    for (let i = 0; i < 1_000; i++) window.sentSnapshot(1, { handle: 1, offset: i });
    window.prove(999);
    expect(window.inFlightBytes).toBe(1_000 - 31);
    window.prove(1_000);
    expect(window.inFlightBytes).toBe(0);
  });

  it('[X4] of all viewers together take at most half, and leave the other half to operators', () => {
    const workspace = new OutputInFlight();
    const viewers = workspace.forViewers();
    viewers.add(VIEWERS_IN_FLIGHT_MAX_BYTES);
    expect([viewers.freeBytes, workspace.freeBytes]).toEqual([0, WORKSPACE_MAX_BYTES / 2]);
    workspace.add(WORKSPACE_MAX_BYTES / 2);
    viewers.add(-10);
    expect([viewers.freeBytes, workspace.freeBytes]).toEqual([10, 10]);
    workspace.add(5);
    expect(viewers.freeBytes).toBe(5);
  });

  describe('replays', () => {
    const ROOM = WINDOW_FIRST_BYTES + REPLAYS_IN_FLIGHT_MAX_BYTES;

    it('[X4] are admitted up to their limit, and beyond it one at a time, less and less often', () => {
      const window = new CreditWindow();
      const send = (bytes: number, now: number) => {
        if (!window.admits(bytes, now)) return false;
        window.replaying(bytes, now);
        window.sentSnapshot(bytes, NAME);
        return true;
      };
      expect(send(ROOM, 0)).toBe(true);
      expect(send(1, 0)).toBe(false);
      const sentAt: number[] = [];
      for (let now = 0; now < 60_000; now += 250) if (send(100, now)) sentAt.push(now);
      expect(sentAt).toEqual([1_000, 3_000, 7_000, 15_000, 31_000]);
      window.prove(ROOM);
      expect(send(100, 60_000)).toBe(true);
    });

    it('[X4] of a large size are admitted on an idle client, if enough is free afterwards', () => {
      const free = WORKSPACE_MAX_BYTES;
      expect(new CreditWindow().admits(free / 2, 0)).toBe(true);
      expect(new CreditWindow().admits(free / 2 + 1, 1e9)).toBe(false);
    });

    it('[X4] are not admitted when the workspace is full, except a small one', () => {
      const workspace = new OutputInFlight();
      const window = new CreditWindow(workspace);
      workspace.add(WORKSPACE_MAX_BYTES);
      expect(window.admits(WINDOW_MIN_BYTES + 1, 1e9)).toBe(false);
      expect(window.admits(WINDOW_MIN_BYTES, 0)).toBe(true);
      window.sentSnapshot(WINDOW_MIN_BYTES, NAME);
      expect([window.admits(1, 1e9), window.admits(0, 0)]).toEqual([false, true]);
    });

    it('[X4] take no room from live output within their limit, and all of it beyond', () => {
      const window = new CreditWindow();
      window.sentSnapshot(REPLAYS_IN_FLIGHT_MAX_BYTES, NAME);
      expect([window.hasRoom, window.isRelieved, window.fits(WINDOW_FIRST_BYTES)]).toEqual([
        true,
        true,
        true,
      ]);
      window.sentSnapshot(WINDOW_FIRST_BYTES, NAME);
      expect([window.hasRoom, window.isRelieved, window.fits(1)]).toEqual([false, false, false]);
      expect(window.asksWith(1), 'an acknowledgement is asked for at once').toBe(true);
    });
  });
});
