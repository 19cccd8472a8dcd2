/** The figures that are compared between runs and machines. Readers of `--json` depend on their names. */
import type { Goal } from './section.ts';

export interface Rule {
  readonly title: string;
  readonly better: 'higher' | 'lower';
  readonly goal: number;
  readonly unit: '×' | 'ms' | '';
  /** A figure is clearly worse than an earlier one if it is worse by this factor … */
  readonly factor: number;
  /** … and by this amount: milliseconds on a busy machine are no regression. */
  readonly margin: number;
}

export const RULES = {
  throughputVsSwitch: rule('throughput of a burst, relative to the bare switch', 'higher', 0.95, '×', 1.2, 0),
  throughputVsPty: rule('throughput of a burst, relative to raw node-pty', 'higher', 0.75, '×', 1.25, 0),
  echoP50VsSwitch: rule('echo p50, relative to the bare switch', 'lower', 1.25, '×', 1.25, 0),
  // The tail measures the scheduler as well, and no two runs agree closely.
  echoP99VsSwitch: rule('echo p99, relative to the bare switch', 'lower', 1.5, '×', 1.6, 0),
  echoUnderFloodVsIdle: rule(
    'echo p95 while another session floods, relative to idle',
    'lower',
    3,
    '×',
    1.6,
    0.5,
  ),
  ctrlCVsSwitch: rule(
    'Ctrl-C in a flood, relative to the bare switch with 256 KiB',
    'lower',
    2,
    '×',
    1.6,
    0.3,
  ),
  ctrlCSlowExcessMs: rule(
    'Ctrl-C in a flood at 2 MB/s and 40 ms, minus the round trip',
    'lower',
    100,
    'ms',
    1.3,
    30,
  ),
  throughputRtt40VsUnlimited: rule(
    'throughput at 40 ms, relative to a switch without a window',
    'higher',
    0.7,
    '×',
    1.25,
    0,
  ),
  reattachScreenMs: rule('reattaching an ordinary screen', 'lower', 35, 'ms', 2, 10),
  reattach20kMs: rule('reattaching after 20 000 missed lines', 'lower', 150, 'ms', 2, 20),
  keeperEchoVsDirect: rule('echo p50 with a keeper, relative to one process', 'lower', 1.15, '×', 1.2, 0),
  messagesPerMiB: rule('messages into the object per MiB', 'lower', 20, '', 1.15, 1),
} as const satisfies Readonly<Record<string, Rule>>;

export type RatioName = keyof typeof RULES;
export type Ratios = Readonly<Record<RatioName, number>>;

export const RATIO_NAMES = Object.keys(RULES) as RatioName[];

function rule(
  title: string,
  better: Rule['better'],
  goal: number,
  unit: Rule['unit'],
  factor: number,
  margin: number,
): Rule {
  return { title, better, goal, unit, factor, margin };
}

const written = (value: number, unit: Rule['unit']) =>
  unit === '×'
    ? `${value.toFixed(2)}×`
    : `${value.toFixed(value < 10 ? 1 : 0)}${unit === '' ? '' : ` ${unit}`}`;

/** Whether the goals were met, in the order of the contract. */
export function judge(ratios: Partial<Ratios>): Goal[] {
  return RATIO_NAMES.flatMap((name) => {
    const [value, { title, better, goal, unit }] = [ratios[name], RULES[name]];
    if (value === undefined) return [];
    return [
      {
        what: title,
        goal: `${better === 'higher' ? '≥' : '≤'} ${written(goal, unit)}`,
        figure: written(value, unit),
        isMet: better === 'higher' ? value >= goal : value <= goal,
      },
    ];
  });
}

/**
 * What is clearly worse than before, in sentences. What was not measured now is not compared; what is not a number is
 * worse.
 */
export function regressions(before: Ratios, now: Partial<Ratios>): string[] {
  return RATIO_NAMES.flatMap((name) => {
    const value = now[name];
    if (value === undefined) return [];
    const { title, better, unit, factor, margin } = RULES[name];
    const limit = better === 'higher' ? before[name] / factor - margin : before[name] * factor + margin;
    const isFine = better === 'higher' ? value >= limit : value <= limit;
    const figures = `${written(value, unit)}, was ${written(before[name], unit)}`;
    return isFine ? [] : [`${name} (${title}): ${figures}; clearly worse is beyond ${written(limit, unit)}.`];
  });
}
