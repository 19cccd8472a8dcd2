import { expect, it } from 'vitest';
import { REQUEST_TOKENS_MAX, REQUESTS_BURST_MAX, REQUESTS_PER_S_MAX } from '../../protocol/limits.ts';
import { RequestMeter } from '../../worker/request-meter.ts';

it('[X9] [RL24] a token may make so many requests at once, and one more has to wait', () => {
  const meter = new RequestMeter();
  for (let i = 0; i <= REQUESTS_BURST_MAX; i++) expect(meter.waitMs('t', 0)).toBe(0);
  const waitMs = meter.waitMs('t', 0);
  expect(waitMs).toBeGreaterThan(0);
  expect(meter.waitMs('other', 0)).toBe(0);
  expect(meter.waitMs('t', waitMs)).toBe(0);
});

it('[X9] [RL24] a token may go on for good at the rate it has', () => {
  const meter = new RequestMeter();
  for (let second = 0; second < 100; second++)
    for (let i = 0; i < REQUESTS_PER_S_MAX; i++) expect(meter.waitMs('t', second * 1000)).toBe(0);
});

it('[X9] [RL24] large answers count: four lists of 4 MiB use up what is there', () => {
  const meter = new RequestMeter();
  for (let i = 0; i < 4; i++) {
    expect(meter.waitMs('t', 0)).toBe(0);
    meter.answered('t', 4 * 2 ** 20, 0);
  }
  expect(meter.waitMs('t', 0)).toBeGreaterThan(0);
});

it('[X9] [RL24] remembers a bounded number of tokens, the most recent', () => {
  const meter = new RequestMeter();
  for (let i = 0; i <= REQUESTS_BURST_MAX; i++) meter.waitMs('busy', 0);
  for (let i = 0; i < REQUEST_TOKENS_MAX - 1; i++) meter.waitMs(`t${i}`, 0);
  expect([meter.tokens, meter.waitMs('busy', 0) > 0]).toEqual([REQUEST_TOKENS_MAX, true]);
  meter.waitMs('one more', 0);
  expect(meter.tokens).toBe(REQUEST_TOKENS_MAX);
});
