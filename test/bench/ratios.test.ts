/** Comparing the figures of a benchmark with goals and a baseline. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge, RATIO_NAMES, type Ratios, regressions } from '../../bench/report/ratios.ts';

const BEFORE: Ratios = {
  throughputVsSwitch: 1,
  throughputVsPty: 0.8,
  echoP50VsSwitch: 1.1,
  echoP99VsSwitch: 1.2,
  echoUnderFloodVsIdle: 2,
  ctrlCVsSwitch: 1.5,
  ctrlCSlowExcessMs: 60,
  throughputRtt40VsUnlimited: 0.8,
  reattachScreenMs: 10,
  reattach20kMs: 60,
  keeperEchoVsDirect: 1.1,
  messagesPerMiB: 18,
};

describe('the ratios of a benchmark', () => {
  it('[P27] are all in the committed baseline', () => {
    const baseline = JSON.parse(readFileSync(new URL('../../bench/baseline.json', import.meta.url), 'utf8'));
    expect(Object.keys(baseline.ratios).toSorted()).toEqual(RATIO_NAMES.toSorted());
    for (const value of Object.values(baseline.ratios)) expect(value).toBeTypeOf('number');
  });

  it('[P27] have the names that other programs read', () => {
    expect(RATIO_NAMES).toEqual(Object.keys(BEFORE));
  });

  it('[P27] are compared with their goals; what was not measured is skipped', () => {
    const verdicts = judge({ throughputVsSwitch: 0.94, reattachScreenMs: 35 });
    expect(verdicts).toMatchObject([
      { figure: '0.94×', goal: '≥ 0.95×', isMet: false },
      { figure: '35 ms', goal: '≤ 35 ms', isMet: true },
    ]);
  });

  it('[P27] are no regression if they are slightly worse, better or not measured', () => {
    expect(regressions(BEFORE, BEFORE)).toEqual([]);
    expect(regressions(BEFORE, { throughputVsSwitch: 0.9, echoP99VsSwitch: 1.5, reattach20kMs: 1 })).toEqual(
      [],
    );
    expect(regressions(BEFORE, {})).toEqual([]);
  });

  it.each(RATIO_NAMES)('[P27] %s is a regression if it is twice as bad or not a number', (name) => {
    const isHigher = name.startsWith('throughput');
    const worse = isHigher ? BEFORE[name] / 2.5 : BEFORE[name] * 2.5;
    const better = isHigher ? BEFORE[name] * 2.5 : BEFORE[name] / 2.5;
    if (name !== 'reattachScreenMs') expect(regressions(BEFORE, { [name]: worse })).toHaveLength(1);
    expect(regressions(BEFORE, { [name]: worse * 10 ** (isHigher ? -1 : 1) })[0]).toContain(name);
    expect(regressions(BEFORE, { [name]: Number.NaN })).toHaveLength(1);
    expect(regressions(BEFORE, { [name]: better })).toEqual([]);
  });
});
