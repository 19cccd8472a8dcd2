/** Attaching and reattaching to a terminal: the first prompt, missed output, a relay that was asleep. */
import { TITLES } from '../contenders/contender.ts';
import type { Effort } from '../effort.ts';
import { median, range } from '../measuring/statistics.ts';
import type { Goal, Section } from '../report/section.ts';
import { MISSED, type Missed, measureReattach, type ReattachSample } from './coming-back.ts';
import { measurePrompts } from './first-prompt.ts';
import { measureWake } from './waking.ts';

export async function reattach({ rounds }: Effort): Promise<Section> {
  const prompts = await measurePrompts(rounds);
  const wake = await measureWake(rounds);
  const cases: { name: string; samples: ReattachSample[] }[] = [];
  for (const missed of Object.keys(MISSED) as Missed[]) {
    for (const has of ['earlier output', 'nothing'] as const)
      cases.push({
        name: `missed ${missed}; has ${has}`,
        samples: await measureReattach(missed, has, rounds),
      });
  }
  const screen = (index: number) => median((cases[index]?.samples ?? []).map(({ screenMs }) => screenMs));
  return {
    title: 'Reattaching',
    how:
      'Milliseconds, medians, minimum and maximum in brackets. Reattaching: from requesting the session until a headless xterm has parsed its screen, as in a page; ' +
      'then until the history above it has arrived as well; and the first figure again, from the dial on. A client that has the earlier output resumes by offset: it gets the missed bytes, or a screen if those are gone. A client that has nothing, as after a reload, gets a screen.',
    columns: ['', 'screen', 'with its history', 'screen, from the dial'],
    rows: [
      ...[...prompts].map(([name, samples]) => [
        `${TITLES[name]}: from the dial to the first prompt`,
        '–',
        '–',
        spread(samples),
      ]),
      ['a key and its echo, awake (p50)', spread(wake.awake), '–', '–'],
      ['a key and its echo, waking the object', spread(wake.asleep), '–', '–'],
      ...cases.map(({ name, samples }) => [
        `${name}: ${samples[0]?.by}`,
        spread(samples.map(({ screenMs }) => screenMs)),
        spread(samples.map(({ wholeMs }) => wholeMs)),
        spread(samples.map(({ fromDialMs }) => fromDialMs)),
      ]),
    ],
    goals: budget(cases[1]?.samples ?? []),
    ratios: {
      reattachScreenMs: Math.max(screen(0), screen(1)),
      reattach20kMs: Math.max(screen(2), screen(3), screen(4), screen(5)),
    },
    samples: { prompts: Object.fromEntries(prompts), wake, cases },
  };
}

/** The parts of the time for an ordinary screen, when a new page requests it. */
function budget(samples: readonly ReattachSample[]): Goal[] {
  const goal = (what: string, most: number, of: (sample: ReattachSample) => number): Goal => {
    const ms = median(samples.map(of));
    return { what, goal: `≤ ${most} ms`, figure: `${ms.toFixed(1)} ms`, isMet: ms <= most };
  };
  return [
    goal('of that, in the agent: serialising and compressing the screen', 5, ({ agentMs }) => agentMs),
    goal(
      'of that, on the network, both ways',
      10,
      ({ screenMs, agentMs, parseMs }) => screenMs - agentMs - parseMs,
    ),
    goal('of that, parsing', 20, ({ parseMs }) => parseMs),
  ];
}

function spread(samples: readonly number[]): string {
  if (samples.length === 0) return '–';
  const [least, most] = range(samples);
  return `${median(samples).toFixed(1)} (${least.toFixed(1)} to ${most.toFixed(1)})`;
}
