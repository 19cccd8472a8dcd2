/** The window on simulated paths: a rate, a distance, and a client that acknowledges as ours does. */
import { describe, expect, it } from 'vitest';
import { ACK_EVERY_BYTES, ACK_QUIET_MS } from '../../protocol/limits.ts';
import {
  ClientWindow,
  WINDOW_FIRST_BYTES,
  WINDOW_MAX_BYTES,
  WINDOW_MIN_BYTES,
} from '../../vm-agent/client-window.ts';

interface Path {
  readonly bytesPerMs: number;
  readonly roundTripMs: number;
}

/** A flood over `path` for `ms`; returns what got through and how long the queue was, in the second half. */
function flood(window: ClientWindow, path: Path, ms: number): { delivered: number; queueMs: number } {
  const STEP_MS = 1;
  const FRAME = 4096;
  let queue: { bytes: number; at: number }[] = [];
  let credit = 0;
  let unacknowledged = 0;
  let lastArrival = 0;
  let sentAtOfLast = 0;
  let acks: { at: number; bytes: number; sentAt: number }[] = [];
  let delivered = 0;
  let longest = 0;
  for (let now = 1000; now < 1000 + ms; now += STEP_MS) {
    while (window.hasRoom) {
      window.sent(FRAME, now);
      queue.push({ bytes: FRAME, at: now });
    }
    credit = Math.min(credit + path.bytesPerMs * STEP_MS, path.bytesPerMs * STEP_MS + FRAME);
    while (queue.length > 0 && credit >= (queue[0]?.bytes ?? 0)) {
      const frame = queue.shift() as { bytes: number; at: number };
      credit -= frame.bytes;
      unacknowledged += frame.bytes;
      lastArrival = now + path.roundTripMs / 2;
      sentAtOfLast = frame.at;
      if (now > 1000 + ms / 2) delivered += frame.bytes;
    }
    const isQuiet = now + path.roundTripMs / 2 - lastArrival >= ACK_QUIET_MS;
    if (unacknowledged >= ACK_EVERY_BYTES || (unacknowledged > 0 && isQuiet)) {
      acks.push({ at: now + path.roundTripMs, bytes: unacknowledged, sentAt: sentAtOfLast });
      unacknowledged = 0;
    }
    for (const ack of acks.filter(({ at }) => at <= now))
      window.acknowledged(ack.bytes, now - ack.sentAt, now);
    acks = acks.filter(({ at }) => at > now);
    const waiting = queue.reduce((sum, { bytes }) => sum + bytes, 0);
    if (now > 1000 + ms / 2) longest = Math.max(longest, waiting / path.bytesPerMs);
  }
  queue = [];
  return { delivered, queueMs: longest };
}

/** A prompt was shown and acknowledged before: that is when the shortest round trip is learnt. */
function introduced(path: Path): ClientWindow {
  const window = new ClientWindow();
  window.sent(20, 0);
  window.acknowledged(20, path.roundTripMs + ACK_QUIET_MS, path.roundTripMs + ACK_QUIET_MS);
  return window;
}

describe("a client's window", () => {
  it('[OU9] begins small, keeps within its bounds, and counts what is on its way', () => {
    const window = new ClientWindow();
    expect(window.limitBytes).toBe(WINDOW_FIRST_BYTES);
    window.sent(WINDOW_FIRST_BYTES, 0);
    expect(window.hasRoom).toBe(false);
    window.acknowledged(WINDOW_FIRST_BYTES / 2, 10, 10);
    expect(window.isRelieved).toBe(true);
    window.forgive(1e9);
    expect(window.outstandingBytes).toBe(0);
  });

  it('[OU9] grows on a fast and distant path until it carries most of what the path can', () => {
    const path = { bytesPerMs: 20_000, roundTripMs: 40 };
    const window = introduced(path);
    const { delivered } = flood(window, path, 4000);
    expect(window.limitBytes).toBeGreaterThan(800_000);
    expect(window.limitBytes).toBeLessThanOrEqual(WINDOW_MAX_BYTES);
    expect(delivered / (20_000 * 2000)).toBeGreaterThan(0.7);
  });

  it.each([
    ['128 kB/s, 100 ms', { bytesPerMs: 128, roundTripMs: 100 }],
    ['2 MB/s, 40 ms', { bytesPerMs: 2000, roundTripMs: 40 }],
  ])(
    '[OU9] stays so small on a slow path (%s) that Ctrl-C does not wait long, and still fills it',
    (_, path) => {
      const window = introduced(path);
      const { delivered, queueMs } = flood(window, path, 20_000);
      expect(queueMs).toBeLessThan(300);
      expect(window.limitBytes).toBeGreaterThanOrEqual(WINDOW_MIN_BYTES);
      expect(delivered / (path.bytesPerMs * 10_000)).toBeGreaterThan(0.5);
    },
  );

  it('[OU9] does not grow while it is not used: a quiet client says nothing about its path', () => {
    const window = new ClientWindow();
    for (let now = 0; now < 10_000; now += 100) {
      window.sent(10, now);
      window.acknowledged(10, 20, now + 20);
    }
    expect(window.limitBytes).toBe(WINDOW_FIRST_BYTES);
  });
});
