/** How much a socket without acknowledgements may be sent. */
import { expect, it } from 'vitest';
import {
  FAST_BUDGET_BYTES,
  FAST_BYTES_PER_S,
  SLOW_EVERY_MS,
  TerminalPace,
  UNHEARD_MAX_BYTES,
} from '../../../worker/api/terminal-pace.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const FRAME = 64 * 1024;

it('[P15] goes at the fast rate, then at a screen now and then, then no further', () => {
  const clock = new FakeClock();
  const pace = new TerminalPace(clock);
  let sent = 0;
  let pause = 0;
  for (; sent + FRAME <= FAST_BUDGET_BYTES; sent += FRAME) {
    pause = pace.sent(FRAME);
    expect(pause).toBeLessThan(SLOW_EVERY_MS);
    clock.advance(pause);
  }
  expect(clock.now()).toBeCloseTo((FAST_BUDGET_BYTES / FAST_BYTES_PER_S) * 1000, -2);
  expect(pace.sent(FRAME)).toBe(SLOW_EVERY_MS);
  for (; !pace.isOver; sent += FRAME) pace.sent(FRAME);
  expect(sent).toBeLessThanOrEqual(UNHEARD_MAX_BYTES + FRAME);
});

it('[P15] what is heard gives the budget back', () => {
  const clock = new FakeClock();
  const pace = new TerminalPace(clock);
  pace.sent(FAST_BUDGET_BYTES + 1);
  pace.heard();
  clock.advance(60_000);
  expect(pace.sent(FRAME)).toBeLessThan(SLOW_EVERY_MS);
});
