import { describe, expect, it } from 'vitest';
import { EARLY_END_MS, EARLY_ENDS_PER_STEP, RestartPolicy } from '../../../vm-agent/keeper/restart-policy.ts';

function delays(policy: RestartPolicy, count: number, ranMs: number | null): number[] {
  return Array.from({ length: count }, () => policy.ended(ranMs, 'exit code 1'));
}

describe('when the agent is started again', () => {
  it('[K1] at once, with everything, if it had worked for a while', () => {
    const policy = new RestartPolicy();
    expect(delays(policy, 9, EARLY_END_MS)).toEqual(Array(9).fill(0));
    expect([policy.start, policy.trouble]).toEqual(['all', null]);
  });

  it('[F30] later and later, if it ends again and again before it is ready', () => {
    const expected = [0, 0, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
    expect(delays(new RestartPolicy(), expected.length, null)).toEqual(expected);
  });

  it('[F30] a little later, if it ends again and again soon after it was ready', () => {
    const expected = [0, 0, 100, 200, 400, 800, 1000, 1000];
    expect(delays(new RestartPolicy(), expected.length, EARLY_END_MS - 1)).toEqual(expected);
  });

  it.each([
    ['with less and less, if it was never ready', null, 'without replay', 'output from before'],
    ['without blobs, if it was ready each time', 0, 'without blobs', 'saved screens'],
  ] as const)('[F30] %s, and says why', (_, ranMs, last, left) => {
    const policy = new RestartPolicy();
    const starts = Array.from({ length: 2 * EARLY_ENDS_PER_STEP + 1 }, () => {
      policy.ended(ranMs, 'exit code 1');
      return policy.start;
    });
    const some = 'without blobs';
    expect(starts).toEqual(['all', 'all', some, some, some, last, last]);
    expect(policy.trouble).toBe(
      `The agent ended 7 times in a row right after its start (exit code 1), so it was started without ${left}.`,
    );
  });

  it('[F30] with everything again once it has worked for a while', () => {
    const policy = new RestartPolicy();
    delays(policy, 2, null);
    expect(policy.trouble).toBeNull();
    policy.ended(0, 'SIGSEGV');
    expect(policy.trouble).toContain('3 times in a row right after its start (SIGSEGV)');
    expect(policy.ended(EARLY_END_MS, 'SIGSEGV')).toBe(0);
    expect([policy.start, policy.trouble]).toEqual(['all', null]);
    expect(delays(policy, 3, 0)).toEqual([0, 0, 100]);
  });

  it('[F30] with the output again once it was ready', () => {
    const policy = new RestartPolicy();
    delays(policy, 6, null);
    expect(policy.start).toBe('without replay');
    policy.ended(0, 'SIGSEGV');
    expect(policy.start).toBe('without blobs');
  });
});
