/** The size of a client's window on simulated paths, and when it requests acknowledgements. */
import { describe, expect, it } from 'vitest';
import { ACK_EVERY_BYTES, ACK_QUIET_MS } from '../../../protocol/limits.ts';
import {
  CreditWindow,
  WINDOW_FIRST_BYTES,
  WINDOW_MAX_BYTES,
  WINDOW_MIN_BYTES,
} from '../../../vm-agent/output/credit-window.ts';
import { PROMPT_MS, QUEUED_MS } from '../../../vm-agent/output/window-limit.ts';

interface Path {
  readonly bytesPerMs: number;
  readonly roundTripMs: number;
  /** Every so many acknowledgements … */
  readonly lateEvery?: number;
  /** … one comes this much late: a busy machine, not a queue. */
  readonly lateMs?: number;
}

interface Sent {
  readonly bytes: number;
  readonly at: number;
  readonly isAsked: boolean;
}

/** A flood over `path` for `ms`; returns its throughput and the length of the queue, in the second half. */
function flood(
  window: CreditWindow,
  path: Path,
  ms: number,
  from = 1000,
): { delivered: number; queueMs: number } {
  const FRAME = 2048;
  const queue: Sent[] = [];
  let credit = 0;
  let unacknowledged = 0;
  let last: Sent | undefined;
  let lastArrival = 0;
  let acks: { at: number; bytes: number; sentAt: number }[] = [];
  let delivered = 0;
  let longest = 0;
  let count = 0;
  for (let now = from; now < from + ms; now += 1) {
    while (window.hasRoom) {
      const isAsked = window.asksWith(FRAME);
      window.sent(FRAME, now);
      queue.push({ bytes: FRAME, at: now, isAsked });
    }
    const acknowledge = (waitedMs: number) => {
      const sentAt = (last?.at ?? now) + waitedMs;
      const late = ++count % (path.lateEvery ?? Number.POSITIVE_INFINITY) === 0 ? (path.lateMs ?? 0) : 0;
      acks.push({ at: now + path.roundTripMs + late, bytes: unacknowledged, sentAt });
      unacknowledged = 0;
    };
    credit = Math.min(credit + path.bytesPerMs, path.bytesPerMs + FRAME);
    while (queue.length > 0 && credit >= FRAME) {
      last = queue.shift() as Sent;
      credit -= FRAME;
      unacknowledged += FRAME;
      lastArrival = now;
      if (now > from + ms / 2) delivered += FRAME;
      if (last.isAsked || unacknowledged >= ACK_EVERY_BYTES) acknowledge(0);
    }
    if (unacknowledged > 0 && now - lastArrival >= ACK_QUIET_MS) acknowledge(ACK_QUIET_MS);
    for (const ack of acks.filter(({ at }) => at <= now))
      window.acknowledged(ack.bytes, now - ack.sentAt, now);
    acks = acks.filter(({ at }) => at > now);
    const waiting = queue.reduce((sum, { bytes }) => sum + bytes, 0);
    if (now > from + ms / 2) longest = Math.max(longest, waiting / path.bytesPerMs);
  }
  return { delivered, queueMs: longest };
}

/** A prompt was shown and acknowledged before: that is when the shortest round trip is measured. */
function introduced(path: Path): CreditWindow {
  const window = new CreditWindow();
  window.sent(20, 0);
  window.acknowledged(20, path.roundTripMs, path.roundTripMs + ACK_QUIET_MS);
  return window;
}

describe("a client's window", () => {
  it('[OU9] starts small, stays within its limits, and counts bytes in flight', () => {
    const window = new CreditWindow();
    expect(window.limitBytes).toBe(WINDOW_FIRST_BYTES);
    window.sent(WINDOW_FIRST_BYTES, 0);
    expect(window.hasRoom).toBe(false);
    window.acknowledged(WINDOW_FIRST_BYTES / 2, 10, 10);
    expect(window.isRelieved).toBe(true);
    window.acknowledged(1e9, 10, 11);
    expect(window.outstandingBytes).toBe(0);
  });

  it('[OU9] grows on a fast and long path until it uses most of its bandwidth', () => {
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
    '[OU9] stays small enough on a slow path (%s) for a quick Ctrl-C, and still fills the path',
    (_, path) => {
      const window = introduced(path);
      const { delivered, queueMs } = flood(window, path, 20_000);
      expect(queueMs).toBeLessThan(150);
      expect(window.limitBytes).toBeGreaterThanOrEqual(WINDOW_MIN_BYTES);
      expect(delivered / (path.bytesPerMs * 10_000)).toBeGreaterThan(0.75);
    },
  );

  it('[OU9] is not reduced by occasional late answers, which are no queue', () => {
    const path = { bytesPerMs: 20_000, roundTripMs: 40, lateEvery: 4, lateMs: 150 };
    const { delivered } = flood(introduced(path), path, 8000);
    expect(delivered / (20_000 * 4000)).toBeGreaterThan(0.8);
  });

  it('[OU9] shrinks when the path becomes slow, once the bytes in flight have arrived', () => {
    const window = introduced({ bytesPerMs: 20_000, roundTripMs: 40 });
    flood(window, { bytesPerMs: 20_000, roundTripMs: 40 }, 2000);
    window.acknowledged(window.outstandingBytes, 40, 2990);
    const { queueMs } = flood(window, { bytesPerMs: 128, roundTripMs: 40 }, 80_000, 3000);
    expect(queueMs).toBeLessThan(300);
  });

  it('[OU9] requests an acknowledgement at half its size', () => {
    const window = new CreditWindow();
    const asked = Array.from({ length: 8 }, () => window.asksWith(WINDOW_FIRST_BYTES / 4));
    expect(asked).toEqual([false, true, false, true, false, true, false, true]);
  });

  it('[OU9] requests one only after 384 KiB when it is wide, so that a flood costs fewer messages', () => {
    const window = new CreditWindow();
    for (let now = 0; window.limitBytes < 512 * 1024; now += 10) {
      window.sent(window.limitBytes, now);
      window.acknowledged(window.outstandingBytes, 1, now + 1);
    }
    const asked = Array.from({ length: 12 }, () => window.asksWith(64 * 1024));
    expect(asked.flatMap((isAsked, n) => (isAsked ? [n + 1] : []))).toEqual([6, 12]);
  });

  it('[OU9] does not grow while it is not used: a quiet client says nothing about its path', () => {
    const window = new CreditWindow();
    for (let now = 0; now < 10_000; now += 100) {
      window.sent(10, now);
      window.acknowledged(10, 20, now + 20);
    }
    expect(window.limitBytes).toBe(WINDOW_FIRST_BYTES);
  });

  it('[OU9] has credit again at half, and accepts a frame that exceeds its limit by at most a quarter', () => {
    const window = new CreditWindow();
    window.sent(WINDOW_FIRST_BYTES / 2, 0);
    expect([window.isRelieved, window.hasRoom]).toEqual([true, true]);
    expect(window.fits(0.75 * WINDOW_FIRST_BYTES)).toBe(true);
    expect(window.fits(0.75 * WINDOW_FIRST_BYTES + 1)).toBe(false);
    window.sent(1, 0);
    expect(window.isRelieved).toBe(false);
  });

  /** A window that was full, answered after this time; the shortest round trip it knows is 10 ms. */
  function answeredAfter(roundTripMs: number): CreditWindow {
    const window = new CreditWindow();
    window.sent(20, 0);
    window.acknowledged(20, 10, 10);
    window.sent(WINDOW_FIRST_BYTES, 100);
    window.acknowledged(WINDOW_FIRST_BYTES, roundTripMs, 100 + roundTripMs);
    return window;
  }

  it.each([
    { queuedMs: 0, limit: 2 * WINDOW_FIRST_BYTES },
    { queuedMs: PROMPT_MS - 1, limit: 2 * WINDOW_FIRST_BYTES },
    { queuedMs: PROMPT_MS, limit: WINDOW_FIRST_BYTES },
    { queuedMs: QUEUED_MS, limit: WINDOW_FIRST_BYTES },
    // 32 KiB in 101 ms, of which a path of 10 ms and a queue of 45 ms hold 17 844.
    { queuedMs: QUEUED_MS + 1, limit: 17_844 },
  ])('[OU9] becomes $limit after an answer that is $queuedMs ms late', ({ queuedMs, limit }) => {
    expect(answeredAfter(10 + queuedMs).limitBytes).toBe(limit);
  });

  it('[OU9] changes once per round trip, not with every answer', () => {
    const window = answeredAfter(10);
    window.sent(2 * WINDOW_FIRST_BYTES, 111);
    window.acknowledged(2 * WINDOW_FIRST_BYTES, 5, 114);
    expect(window.limitBytes).toBe(2 * WINDOW_FIRST_BYTES);
    window.sent(2 * WINDOW_FIRST_BYTES, 120);
    window.acknowledged(2 * WINDOW_FIRST_BYTES, 5, 125);
    expect(window.limitBytes).toBe(4 * WINDOW_FIRST_BYTES);
  });

  it('[OU9] measures the shortest round trip again after half a minute, because a path may become longer', () => {
    const window = answeredAfter(10);
    const size = window.limitBytes;
    // From now on everything takes 300 ms: at first that looks like a queue …
    window.sent(size, 1_000);
    window.acknowledged(size, 300, 1_300);
    expect(window.limitBytes).toBeLessThan(size);
    const small = window.limitBytes;
    // … and half a minute later like the path itself.
    window.sent(20, 40_000);
    window.acknowledged(20, 300, 40_300);
    window.sent(small, 41_000);
    window.acknowledged(small, 300, 41_300);
    expect(window.limitBytes).toBe(Math.round(1.25 * small));
  });

  it('[OU9] measures the delivery rate since it was last empty', () => {
    const window = new CreditWindow();
    window.sent(20, 0);
    window.acknowledged(20, 10, 10);
    // Ten idle seconds are not ten seconds of a slow path.
    window.sent(WINDOW_FIRST_BYTES, 10_000);
    window.acknowledged(WINDOW_FIRST_BYTES, 110, 10_110);
    expect(window.limitBytes).toBe(Math.round((WINDOW_FIRST_BYTES / 110) * 55));
  });
});
