import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EARLY_CEILING_MS,
  EARLY_MS,
  FIRST_CEILING_MS,
  LATE_CEILING_MS,
  retryDelay,
} from '../../protocol/backoff.ts';
import { checkProperty } from '../support/property.ts';

/** The longest wait there can be: `random` never quite reaches 1. */
const longest = (failures: number, elapsedMs: number, watched: boolean) =>
  retryDelay({ failures, elapsedMs, watched }, () => 1);

describe('retryDelay', () => {
  it.each([
    { failures: 0, elapsedMs: 0, watched: false, ceiling: FIRST_CEILING_MS },
    { failures: 1, elapsedMs: 0, watched: false, ceiling: 2 * FIRST_CEILING_MS },
    { failures: 2, elapsedMs: 0, watched: false, ceiling: 4 * FIRST_CEILING_MS },
    { failures: 3, elapsedMs: 0, watched: false, ceiling: 8 * FIRST_CEILING_MS },
    { failures: 4, elapsedMs: 0, watched: false, ceiling: LATE_CEILING_MS },
    { failures: 1e9, elapsedMs: 0, watched: false, ceiling: LATE_CEILING_MS },
    { failures: 0, elapsedMs: 0, watched: true, ceiling: FIRST_CEILING_MS },
    { failures: 2, elapsedMs: 0, watched: true, ceiling: EARLY_CEILING_MS },
    { failures: 9, elapsedMs: EARLY_MS - 1, watched: true, ceiling: EARLY_CEILING_MS },
    { failures: 9, elapsedMs: EARLY_MS, watched: true, ceiling: LATE_CEILING_MS },
  ])('[CN2] waits at most $ceiling ms after $failures failures, $elapsedMs ms, watched: $watched', (row) => {
    expect(longest(row.failures, row.elapsedMs, row.watched)).toBe(row.ceiling);
  });

  it('[CN2] has the ceilings of the design: 1 s at first, 2 s while watched, 15 s in the end', () => {
    expect([FIRST_CEILING_MS, EARLY_CEILING_MS, EARLY_MS, LATE_CEILING_MS]).toEqual([
      1_000, 2_000, 60_000, 15_000,
    ]);
  });

  it('[F22] [CN2] spreads delays evenly from zero to the ceiling', () => {
    const outage = { failures: 3, elapsedMs: 0, watched: false };
    expect([0, 0.25, 0.5, 0.75].map((dice) => retryDelay(outage, () => dice))).toEqual([
      0, 2_000, 4_000, 6_000,
    ]);
  });

  it('[CN2] never waits longer because it is watched, nor less because it failed more often', () => {
    const dice = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    checkProperty(
      'backoff',
      fc.property(fc.nat(100), fc.nat(200_000), fc.boolean(), dice, (failures, elapsedMs, watched, value) => {
        const delay = retryDelay({ failures, elapsedMs, watched }, () => value);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(LATE_CEILING_MS);
        expect(longest(failures, elapsedMs, true)).toBeLessThanOrEqual(longest(failures, elapsedMs, false));
        expect(longest(failures + 1, elapsedMs, watched)).toBeGreaterThanOrEqual(
          longest(failures, elapsedMs, watched),
        );
      }),
    );
  });
});
