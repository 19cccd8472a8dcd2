/** How many requests without a credential are answered at once, with a clock that is a number. */
import { expect, it } from 'vitest';
import {
  PUBLIC_BURST_MAX,
  PUBLIC_DELAY_MAX_MS,
  PUBLIC_DELAY_MS,
  PUBLIC_PER_S_MAX,
} from '../../../protocol/limits.ts';
import { PublicPace } from '../../../worker/metering/public-pace.ts';

/** How many of so many requests at one moment are answered without delay. */
const atOnce = (pace: PublicPace, requests: number, now: number) =>
  Array.from({ length: requests }, () => pace.delayMs(now)).filter((ms) => ms === 0).length;

it('[SEC21] [RL24] requests without a credential are answered at once if they are few', () => {
  expect(atOnce(new PublicPace(), PUBLIC_BURST_MAX, 0)).toBe(PUBLIC_BURST_MAX);
});

it('[SEC21] [RL24] many of them at once are delayed, so that the runtime looks at other connections', () => {
  const pace = new PublicPace();
  expect(atOnce(pace, PUBLIC_BURST_MAX + 2, 0)).toBe(PUBLIC_BURST_MAX + 1);
  expect(pace.delayMs(0)).toBe(PUBLIC_DELAY_MS);
});

it('[SEC21] [RL24] connections that ask one after the other are answered at one rate, however many they are', () => {
  const pace = new PublicPace();
  const connections = 400;
  const seconds = 20;
  const askAt = Array.from({ length: connections }, () => 0);
  let answers = 0;
  for (let now = 0; now < seconds * 1000; now++) {
    for (const [i, at] of askAt.entries()) {
      if (at > now) continue;
      askAt[i] = now + Math.max(1, pace.delayMs(now));
      answers++;
    }
  }
  expect(answers).toBeLessThanOrEqual(PUBLIC_BURST_MAX + connections + seconds * PUBLIC_PER_S_MAX);
});

it('[SEC21] [RL24] after any number of them, the next waits for at most the longest delay', () => {
  const pace = new PublicPace();
  atOnce(pace, 100_000, 0);
  expect(pace.delayMs(0)).toBe(PUBLIC_DELAY_MAX_MS);
  expect(pace.delayMs(2 * PUBLIC_DELAY_MAX_MS)).toBe(0);
});
