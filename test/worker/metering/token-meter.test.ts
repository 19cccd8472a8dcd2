import { describe, expect, it } from 'vitest';
import { METERED_TOKENS_MAX } from '../../../protocol/limits.ts';
import { TokenMeter } from '../../../worker/metering/token-meter.ts';
import type { Owner } from '../../../worker/peers/owner.ts';

const owner = (tokenId: string): Owner => ({ role: 'operator', tokenId });
const T = owner('t');
const BURST = 200;
const PER_S = 100;

const requests = () => new TokenMeter({ capacity: BURST, refillPerS: PER_S });

describe('the budget of a token', () => {
  it('[X9] [RL24] allows a burst; then it waits, and another token does not', () => {
    const meter = requests();
    for (let i = 0; i < BURST; i++) expect(meter.take(T, 1, 0)).toBe(0);
    const waitMs = meter.take(T, 1, 0);
    expect(waitMs).toBeGreaterThan(0);
    expect(meter.waitMs(owner('other'), 0)).toBe(0);
    expect(meter.waitMs({ ...T, role: 'viewer' }, 0), 'by a ticket of the same token').toBe(0);
    expect(meter.waitMs(T, waitMs)).toBe(0);
  });

  it('[X9] [RL24] allows a steady rate indefinitely', () => {
    const meter = requests();
    for (let second = 0; second < 100; second++) expect(meter.take(T, PER_S, second * 1000)).toBe(0);
  });

  it('[X9] [RL24] is not reduced by asking how long to wait', () => {
    const meter = requests();
    for (let i = 0; i < 10 * BURST; i++) meter.waitMs(T, 0);
    expect(meter.take(T, BURST, 0)).toBe(0);
  });

  it('[X9] [RL24] is remembered for a limited number of tokens, the most recent', () => {
    const meter = requests();
    meter.take(owner('busy'), BURST + 1, 0);
    for (let i = 0; i < METERED_TOKENS_MAX - 1; i++) meter.take(owner(`t${i}`), 1, 0);
    expect([meter.tokens, meter.waitMs(owner('busy'), 0) > 0]).toEqual([METERED_TOKENS_MAX, true]);
    meter.take(owner('one more'), 1, 0);
    expect(meter.tokens).toBe(METERED_TOKENS_MAX);
  });
});
