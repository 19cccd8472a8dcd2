import { describe, expect, it } from 'vitest';
import { longEnough } from '../../../worker/platform/time.ts';

/** Pauses on a clock whose timers fire late by the given amounts. */
async function slept(ms: number, ...lateMs: number[]): Promise<number[]> {
  let now = 1000;
  const sleeps: number[] = [];
  await longEnough(
    ms,
    () => now,
    async (asked) => {
      now += asked + (lateMs[sleeps.length] ?? 0);
      sleeps.push(asked);
    },
  );
  return sleeps;
}

describe('a pause', () => {
  it('[RL17] lasts as long as requested while the process keeps up', async () => {
    expect(await slept(10)).toEqual([10]);
    expect(await slept(10, 4)).toEqual([10]);
  });

  it('[RL17] lasts longer by the delay of its timer, up to a quarter of a second', async () => {
    expect(await slept(10, 5)).toEqual([10, 5]);
    expect(await slept(10, 120, 500)).toEqual([10, 120]);
    expect(await slept(10, 4000)).toEqual([10, 250]);
  });
});
