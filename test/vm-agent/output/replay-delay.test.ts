import { describe, expect, it } from 'vitest';
import { ReplayDelay } from '../../../vm-agent/output/replay-delay.ts';

/** How long a replay that is refused at `now` waits; it is sent then. */
function waits(delay: ReplayDelay, now: number): number {
  let ms = 0;
  while (!delay.isOver(now + ms)) ms += 250;
  delay.sent(now + ms);
  return ms;
}

describe('a replay without room', () => {
  it('[OU20] is sent after a second, the next ones after twice as long, up to 32 s', () => {
    const delay = new ReplayDelay();
    let now = 0;
    const waited = Array.from({ length: 8 }, () => {
      const ms = waits(delay, now);
      now += ms;
      return ms / 1000;
    });
    expect(waited).toEqual([1, 2, 4, 8, 16, 32, 32, 32]);
  });

  it('[OU20] waits a second again once the client has proven that it reads', () => {
    const delay = new ReplayDelay();
    waits(delay, 0);
    waits(delay, 1_000);
    delay.reset();
    expect(waits(delay, 10_000)).toBe(1_000);
  });

  it('changes nothing when one is sent that was not refused', () => {
    const delay = new ReplayDelay();
    delay.sent(0);
    expect(waits(delay, 5_000)).toBe(1_000);
  });
});
