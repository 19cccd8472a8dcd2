import { describe, expect, it } from 'vitest';
import { METERED_TOKENS_MAX } from '../../protocol/limits.ts';
import { TokenMeter } from '../../worker/token-meter.ts';

const BURST = 200;
const PER_S = 100;

const requests = () => new TokenMeter({ capacity: BURST, refillPerS: PER_S });

describe('what a token may take', () => {
  it('[X9] [RL24] is so much at once; then it waits, and another does not', () => {
    const meter = requests();
    for (let i = 0; i < BURST; i++) expect(meter.take('t', 1, 0)).toBe(0);
    const waitMs = meter.take('t', 1, 0);
    expect(waitMs).toBeGreaterThan(0);
    expect(meter.waitMs('other', 0)).toBe(0);
    expect(meter.waitMs('t', waitMs)).toBe(0);
  });

  it('[X9] [RL24] is so much every second for good', () => {
    const meter = requests();
    for (let second = 0; second < 100; second++) expect(meter.take('t', PER_S, second * 1000)).toBe(0);
  });

  it('[X9] [RL24] asking how long to wait takes nothing', () => {
    const meter = requests();
    for (let i = 0; i < 10 * BURST; i++) meter.waitMs('t', 0);
    expect(meter.take('t', BURST, 0)).toBe(0);
  });

  it('[X9] [RL24] is remembered for a bounded number of tokens, the most recent', () => {
    const meter = requests();
    meter.take('busy', BURST + 1, 0);
    for (let i = 0; i < METERED_TOKENS_MAX - 1; i++) meter.take(`t${i}`, 1, 0);
    expect([meter.tokens, meter.waitMs('busy', 0) > 0]).toEqual([METERED_TOKENS_MAX, true]);
    meter.take('one more', 1, 0);
    expect(meter.tokens).toBe(METERED_TOKENS_MAX);
  });
});
