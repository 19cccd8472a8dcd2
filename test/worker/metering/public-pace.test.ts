/** How many requests without a credential are answered at once, with a clock that is a number. */
import { expect, it } from 'vitest';
import { PUBLIC_BURST_MAX, PUBLIC_DELAY_MS, PUBLIC_PER_S_MAX } from '../../../protocol/limits.ts';
import { PublicPace } from '../../../worker/metering/public-pace.ts';

/** How many of so many requests at one moment are answered without delay. */
const atOnce = (pace: PublicPace, requests: number, now: number) =>
  Array.from({ length: requests }, () => pace.delayMs(now)).filter((ms) => ms === 0).length;

it('[SEC21] [RL24] requests without a credential are answered at once if they are few', () => {
  expect(atOnce(new PublicPace(), PUBLIC_BURST_MAX, 0)).toBe(PUBLIC_BURST_MAX);
});

it('[SEC21] [RL24] many of them at once are delayed, so that the runtime looks at other connections', () => {
  const pace = new PublicPace();
  expect(atOnce(pace, 10_000, 0)).toBe(PUBLIC_BURST_MAX + 1);
  expect(pace.delayMs(0)).toBe(PUBLIC_DELAY_MS);
  expect(atOnce(pace, 10_000, 100), 'what a tenth of a second allows').toBe(PUBLIC_PER_S_MAX / 10);
});
