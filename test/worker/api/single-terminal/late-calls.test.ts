/** Delayed calls in order, with one timer. */
import { describe, expect, it } from 'vitest';
import { LateCalls } from '../../../../worker/api/single-terminal/late-calls.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

function calls() {
  const clock = new FakeClock();
  const late = new LateCalls(clock);
  const made: string[] = [];
  const add = (delayMs: number, name: string) =>
    late.add(delayMs, () => made.push(`${name} at ${clock.now()}`));
  return { clock, late, made, add };
}

describe('delayed calls', () => {
  it('[RL23] are made in order, none before its time', () => {
    const { clock, late, made, add } = calls();
    add(20, 'a');
    add(5, 'b');
    clock.advance(10);
    add(30, 'c');
    clock.advance(100);
    expect(made).toEqual(['a at 20', 'b at 20', 'c at 40']);
    expect([late.isEmpty, clock.pending]).toEqual([true, 0]);
  });

  it('[SEC21] [RL23] use one timer, however many there are', () => {
    const { clock, add } = calls();
    for (let i = 0; i < 1_000; i++) add(i, 'x');
    expect(clock.pending).toBe(1);
  });

  it('[RL23] are not made after the end', () => {
    const { clock, late, made, add } = calls();
    add(20, 'a');
    late.stop();
    clock.advance(100);
    expect([made, clock.pending]).toEqual([[], 0]);
  });
});
