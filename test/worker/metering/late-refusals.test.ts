import { describe, expect, it } from 'vitest';
import {
  REFUSAL_DELAY_MS,
  REFUSALS_BURST_MAX,
  REFUSALS_HELD_MAX,
  REFUSALS_PER_S_MAX,
} from '../../../protocol/limits.ts';
import { LateRefusals } from '../../../worker/metering/late-refusals.ts';

const exhausted = () => {
  const refusals = new LateRefusals();
  for (let i = 0; i < REFUSALS_BURST_MAX; i++) expect(refusals.delayMs(401, 0)).toBe(0);
  return refusals;
};

describe('a refusal', () => {
  it.each([400, 401, 403, 404, 405, 429])('[X7] [RL24] with %i is delayed after many', (status) => {
    expect(exhausted().delayMs(status, 0)).toBe(REFUSAL_DELAY_MS);
  });

  it.each([101, 200, 304, 408, 409, 503])('[X7] [RL24] does not include %i', (status) => {
    const refusals = exhausted();
    for (let i = 0; i < 100; i++) expect(refusals.delayMs(status, 0)).toBe(0);
  });

  it('[X7] [RL24] is no longer delayed after a while', () => {
    const refusals = exhausted();
    for (let second = 1; second <= 100; second++)
      for (let i = 0; i < REFUSALS_PER_S_MAX; i++) expect(refusals.delayMs(401, second * 1000)).toBe(0);
  });

  it('[X7] [RL24] is sent at another time than the others that are delayed', () => {
    const refusals = exhausted();
    expect(new Set(Array.from({ length: 32 }, () => refusals.delayMs(401, 0))).size).toBe(32);
  });

  it('[X7] [RL24] is not delayed if the maximum is delayed already, and is again once those were sent', () => {
    const refusals = exhausted();
    for (let i = 0; i < REFUSALS_HELD_MAX; i++)
      expect(refusals.delayMs(401, 0)).toBeGreaterThanOrEqual(REFUSAL_DELAY_MS);
    expect(refusals.delayMs(401, 0)).toBe(0);
    // Nothing reports when a refusal was sent: its reader may have left before.
    expect(refusals.delayMs(401, 762)).toBeGreaterThanOrEqual(REFUSAL_DELAY_MS);
  });
});
