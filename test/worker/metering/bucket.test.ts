/** What one client may send: normal use passes, anything beyond is slowed down and then closed. */
import { describe, expect, it } from 'vitest';
import { Bucket, CAPACITY, CONTROL_COST, frameCost, REFILL_PER_S } from '../../../worker/metering/bucket.ts';

describe('a rate limit', () => {
  it('[RL12] lets a paste of 1 MiB in 64 KiB frames pass at once, and another a second later', () => {
    const bucket = new Bucket(0);
    for (const now of [0, 1000]) {
      for (let i = 0; i < 16; i++) expect(bucket.take(frameCost(65_556), now)).toBe('pass');
    }
  });

  it('[RL12] lets mouse tracking of 1000 frames a second pass, for an hour', () => {
    const bucket = new Bucket(0);
    let refused = 0;
    for (let ms = 0; ms < 3_600_000; ms++) if (bucket.take(frameCost(32), ms) !== 'pass') refused++;
    expect(refused).toBe(0);
  });

  it('[RL12] asks once to slow down, then closes', () => {
    const bucket = new Bucket(0);
    const verdicts = Array.from({ length: 2 * CAPACITY + 1 }, () => bucket.take(1, 0));
    expect(verdicts.indexOf('slow')).toBe(CAPACITY);
    expect(verdicts.filter((verdict) => verdict === 'slow')).toHaveLength(1);
    expect(verdicts.indexOf('over')).toBe(2 * CAPACITY);
  });

  it('[RL12] says how long to wait; a client that waits is never closed', () => {
    const bucket = new Bucket(0);
    let now = 0;
    for (let sent = 0; sent < 100_000; sent++) {
      const verdict = bucket.take(1, now);
      expect(verdict).not.toBe('over');
      if (verdict === 'slow') now += bucket.retryAfterMs + 1;
    }
    expect(now).toBeGreaterThan(((100_000 - CAPACITY) / REFILL_PER_S) * 500);
  });

  it('[RL12] charges control messages more, and a clock that goes back changes nothing', () => {
    const bucket = new Bucket(1000);
    for (let i = 0; i < CAPACITY / CONTROL_COST; i++) expect(bucket.take(CONTROL_COST, 0)).toBe('pass');
    expect(bucket.take(CONTROL_COST, 0)).toBe('slow');
    expect(bucket.retryAfterMs).toBe(Math.ceil((CONTROL_COST * 1000) / REFILL_PER_S));
  });
});
