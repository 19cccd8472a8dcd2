/** How much may be sent on a socket without acknowledgements. */
import { expect, it } from 'vitest';
import { TERMINAL_WRITE_COST_BYTES } from '../../../../protocol/limits.ts';
import { TerminalLines } from '../../../../worker/api/single-terminal/terminal-lines.ts';
import {
  ALL_FAST_BYTES_PER_S,
  FAST_BUDGET_BYTES,
  FAST_BYTES_PER_S,
  SLOW_EVERY_MS,
  TerminalPace,
  UNHEARD_MAX_BYTES,
} from '../../../../worker/api/single-terminal/terminal-pace.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const FRAME = 64 * 1024;

it('[P15] sends at the fast rate, then a screen now and then, then nothing', () => {
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

it('[P15] received data restores the budget', () => {
  const clock = new FakeClock();
  const pace = new TerminalPace(clock);
  pace.sent(FAST_BUDGET_BYTES + 1);
  pace.heard();
  clock.advance(60_000);
  expect(pace.sent(FRAME)).toBeLessThan(SLOW_EVERY_MS);
});

it('[X4] [P15] shares a rate with the other terminals of its workspace', () => {
  const clock = new FakeClock();
  const shared = new TerminalLines(ALL_FAST_BYTES_PER_S);
  const paces = Array.from({ length: 8 }, () => new TerminalPace(clock, shared.of('w')));
  const pauses = paces.map((pace) => pace.sent(FRAME));
  expect(pauses[0]).toBeCloseTo((FRAME / FAST_BYTES_PER_S) * 1000);
  expect(pauses[7]).toBeCloseTo(((8 * (FRAME + TERMINAL_WRITE_COST_BYTES)) / ALL_FAST_BYTES_PER_S) * 1000);
});
