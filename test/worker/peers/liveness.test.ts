/** Which peers are alive, and when to check again: the arithmetic. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PING_EVERY_MS, PONG_WITHIN_MS } from '../../../protocol/connection.ts';
import {
  LATE_AFTER_MS,
  nextAlarm,
  nextLook,
  type Seated,
  SILENT_AFTER_MS,
  verdictOn,
} from '../../../worker/peers/liveness.ts';
import { checkProperty } from '../../support/property.ts';

const FOR_EVER = 8.64e15;
const seated = (more: Partial<Seated> & { expiresAt?: number } = {}): Seated => ({
  credential: { expiresAt: more.expiresAt ?? FOR_EVER },
  heardAt: more.heardAt ?? 0,
  awaited: more.awaited ?? false,
});

describe('the liveness of a peer', () => {
  it.each([
    { heardAt: 0, now: 0, verdict: 'here' },
    { heardAt: 0, now: LATE_AFTER_MS - 1, verdict: 'here' },
    { heardAt: 0, now: LATE_AFTER_MS, verdict: 'late' },
    { heardAt: 0, now: SILENT_AFTER_MS - 1, verdict: 'late' },
    { heardAt: 0, now: SILENT_AFTER_MS, verdict: 'silent' },
    { heardAt: 5_000, now: 5_000 + LATE_AFTER_MS - 1, verdict: 'here' },
    { heardAt: 5_000, now: 5_000 + SILENT_AFTER_MS - 1, verdict: 'late' },
    { heardAt: 5_000, now: 5_000 + SILENT_AFTER_MS, verdict: 'silent' },
    { heardAt: 50, now: 49, verdict: 'here' }, // heard after the clock was read
    { heardAt: 99, now: 100, expiresAt: 100, verdict: 'expired' },
    { heardAt: 99, now: 99, expiresAt: 100, verdict: 'here' },
  ])('[RL8] heard at $heardAt, at $now: $verdict', ({ now, verdict, ...one }) => {
    expect(verdictOn(seated(one), now)).toBe(verdict);
  });

  it('[RL8] is never late if it sends heartbeats as required', () => {
    expect(LATE_AFTER_MS).toBeGreaterThan(PING_EVERY_MS + PONG_WITHIN_MS);
    expect(SILENT_AFTER_MS).toBeLessThanOrEqual(45_000);
  });
});

describe('the next check', () => {
  const anybody = fc.record({
    heardAt: fc.integer({ min: 0, max: 100_000 }),
    expiresAt: fc.integer({ min: 0, max: 200_000 }),
    awaited: fc.boolean(),
  });

  it('[RL8] is never after a status has changed', () => {
    checkProperty(
      'liveness-verdict',
      fc.property(
        fc.array(anybody),
        fc.integer({ min: 0, max: 200_000 }),
        fc.nat(60_000),
        (all, now, later) => {
          const everybody = all
            .map(seated)
            .filter((one) => !['silent', 'expired'].includes(verdictOn(one, now)));
          if (now + later >= nextLook(everybody, now)) return;
          for (const one of everybody) expect(verdictOn(one, now + later)).toBe(verdictOn(one, now));
        },
      ),
    );
  });

  it('[RL9] by alarm happens by the time an awaited peer is silent, and by every expiry', () => {
    checkProperty(
      'liveness-alarm',
      fc.property(fc.array(anybody, { minLength: 1 }), fc.integer({ min: 0, max: 200_000 }), (all, now) => {
        const everybody = all.map(seated);
        const alarm = nextAlarm(everybody, now) ?? Number.POSITIVE_INFINITY;
        for (const one of everybody) {
          expect(alarm).toBeLessThanOrEqual(one.credential.expiresAt);
          if (one.awaited) expect(alarm).toBeLessThanOrEqual(one.heardAt + SILENT_AFTER_MS);
        }
      }),
    );
  });

  it('[RL9] needs no alarm if nobody is awaited or late and nothing expires soon', () => {
    expect(nextAlarm([], 0)).toBeNull();
    const month = 30 * 24 * 3_600_000;
    expect(nextAlarm([seated(), seated({ heardAt: 10 })], 10)).toBe(10 + month);
    expect(nextAlarm([seated({ heardAt: 10, awaited: true })], 10)).toBe(10 + SILENT_AFTER_MS);
  });
});

describe('the next look', () => {
  it('[RL8] is when a peer may become late, or silent if it is late already', () => {
    const one = [seated({ heardAt: 5_000 })];
    expect(nextLook(one, 5_000)).toBe(5_000 + LATE_AFTER_MS);
    expect(nextLook(one, 5_000 + LATE_AFTER_MS)).toBe(5_000 + SILENT_AFTER_MS);
  });

  it('[RL9] needs an alarm once a peer is late or awaited', () => {
    const one = [seated({ heardAt: 5_000 })];
    const never = nextAlarm(one, 5_000 + LATE_AFTER_MS - 1);
    expect(never).not.toBe(5_000 + SILENT_AFTER_MS);
    expect(nextAlarm(one, 5_000 + LATE_AFTER_MS)).toBe(5_000 + SILENT_AFTER_MS);
    expect(nextAlarm([seated({ heardAt: 5_000, awaited: true })], 5_000)).toBe(5_000 + SILENT_AFTER_MS);
  });
});
