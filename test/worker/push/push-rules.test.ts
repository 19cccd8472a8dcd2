import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PUSH_EVERY_MS, PUSH_RETRIES_MS } from '../../../protocol/limits.ts';
import { outcomeOf, type Planned, plan, retryAfterMs } from '../../../worker/push/push-rules.ts';
import { checkProperty } from '../../support/property.ts';

const NOW = 1_000_000;
const planned = (moment: string, dueAt: number): Planned => ({ moment, dueAt });

describe('a moment at which a session wants attention', () => {
  it.each([
    { name: 'is pushed at once', last: null, at: NOW },
    { name: 'is not planned twice', last: planned('b', NOW - 999_999), at: null },
    {
      name: 'is pushed at once, if the last push was a minute ago',
      last: planned('a', NOW - PUSH_EVERY_MS),
      at: NOW,
    },
    {
      name: 'is pushed a minute after the last push, if that was less than a minute ago',
      last: planned('a', NOW - 1),
      at: NOW - 1 + PUSH_EVERY_MS,
    },
    { name: 'takes the place of one that waits', last: planned('a', NOW + 20_000), at: NOW + 20_000 },
    {
      name: 'is pushed at once, if the clock has gone back',
      last: planned('a', NOW + PUSH_EVERY_MS + 1),
      at: NOW,
    },
  ])('[A5] [PU1] $name', ({ last, at }) => {
    expect(plan('b', last, NOW)?.dueAt ?? null).toBe(at);
  });

  it('[A5] is pushed once, and a session at most once a minute, for every history', () => {
    const history = fc.array(fc.record({ afterMs: fc.nat(90_000), moment: fc.integer({ min: 1, max: 6 }) }), {
      maxLength: 40,
    });
    checkProperty(
      'push-plans',
      fc.property(history, (steps) => {
        let [now, newest] = [NOW, 0];
        let last: Planned | null = null;
        const due = new Map<string, number>();
        for (const { afterMs, moment } of steps) {
          now += afterMs;
          // Moments come in order, and each may be told any number of times.
          newest = Math.max(newest, moment);
          const next = plan(String(newest), last, now);
          if (next === null) continue;
          if (last !== null && last.dueAt > now) due.delete(last.moment);
          expect(due.has(next.moment), 'once').toBe(false);
          expect(next.dueAt).toBeGreaterThanOrEqual(now);
          expect(next.dueAt, 'not later than needed').toBeLessThanOrEqual(now + PUSH_EVERY_MS);
          due.set(next.moment, next.dueAt);
          last = next;
        }
        const times = [...due.values()].sort((a, b) => a - b);
        for (const [i, time] of times.entries())
          if (i > 0) expect(time - (times[i - 1] ?? 0)).toBeGreaterThanOrEqual(PUSH_EVERY_MS);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the answer of a push service', () => {
  const [first, second] = PUSH_RETRIES_MS;
  it.each([
    { status: 201, attempts: 1, kind: 'sent' },
    { status: 200, attempts: 5, kind: 'sent' },
    { status: 404, attempts: 1, kind: 'gone' },
    { status: 410, attempts: 1, kind: 'gone' },
    { status: 301, attempts: 1, kind: 'refused' },
    { status: 302, attempts: 1, kind: 'refused' },
    { status: 307, attempts: 1, kind: 'refused' },
    { status: 400, attempts: 1, kind: 'refused' },
    { status: 401, attempts: 1, kind: 'refused' },
    { status: 403, attempts: 1, kind: 'refused' },
    { status: 413, attempts: 1, kind: 'refused' },
    { status: 408, attempts: 1, kind: 'retry', inMs: first },
    { status: 429, attempts: 1, kind: 'retry', inMs: first },
    { status: 500, attempts: 2, kind: 'retry', inMs: second },
    { status: 503, attempts: 4, kind: 'retry', inMs: 600_000 },
    { status: 503, attempts: 5, kind: 'refused' },
    { status: 503, attempts: 99, kind: 'refused' },
  ])('[A5] [F33] [PU5] $status to attempt $attempts: $kind', ({ status, attempts, kind, inMs }) => {
    const outcome = outcomeOf({ status, retryAfterMs: null }, attempts, NOW);
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === 'retry') expect(outcome.dueAt - NOW).toBe(inMs);
  });

  it('[F33] that never came is tried again', () => {
    expect(outcomeOf(null, 1, NOW)).toEqual({ kind: 'retry', dueAt: NOW + first });
    expect(outcomeOf(null, 5, NOW)).toEqual({ kind: 'refused' });
  });

  it.each([
    ['0', first],
    ['1', first],
    ['60', 60_000],
    ['999999', 600_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', first],
    ['-1', first],
    [null, first],
  ])('[F33] with Retry-After: %s is respected within bounds', (header, inMs) => {
    const answer = { status: 429, retryAfterMs: retryAfterMs(header) };
    expect(outcomeOf(answer, 1, NOW)).toEqual({ kind: 'retry', dueAt: NOW + inMs });
  });
});
