/** The figures of docs/evidence/scale.md, made anew by `npm run bench:scale`; the same for the same sizes, everywhere. */
import type { Outage } from '../../protocol/backoff.ts';
import type { Chart } from '../report/chart.ts';
import { table } from '../report/markdown.ts';
import { type DeployOptions, simulateDeploy } from './deploy.ts';
import type { DeployResult } from './deploy-tally.ts';
import { POLICIES, type Policy, simulatePlacement } from './placement.ts';
import { HABITS, simulateHours } from './terminal-hours.ts';

export interface Sizes {
  readonly clients: number;
  readonly terminals: number;
  readonly workspaces: number;
}

export const FULL_SIZES: Sizes = { clients: 100_000, terminals: 2_000, workspaces: 20_000 };

const SEED = 20_261_116;

const DEPLOY: Omit<DeployOptions, 'clients'> = {
  seed: SEED,
  clientsPerWorkspace: 2,
  sessionsPerClient: 3,
  watchedShare: 0.4,
  outageMs: 0,
  edgePerSecond: Number.POSITIVE_INFINITY,
};

/** What a client without our manners would do: all at once, at fixed moments. */
const withoutJitter = ({ failures }: Outage): number => Math.min(15_000, 1000 * 2 ** failures);

function deploys({ clients }: Sizes): { name: string; result: DeployResult }[] {
  const perSecond = clients / 10;
  const run = (name: string, options: Partial<DeployOptions>) => ({
    name,
    result: simulateDeploy({ ...DEPLOY, clients, ...options }),
  });
  return [
    run('everything available at once', {}),
    run('nothing answers for 5 s', { outageMs: 5_000 }),
    run('nothing answers for 60 s', { outageMs: 60_000 }),
    run(`the edge accepts ${perSecond.toLocaleString('en')} handshakes a second`, {
      edgePerSecond: perSecond,
    }),
    run('the same, with clients that wait exactly 1, 2, 4 … s', {
      edgePerSecond: perSecond,
      wait: withoutJitter,
    }),
  ];
}

export interface Figures {
  readonly deploy: string;
  readonly hours: string;
  readonly placement: string;
  readonly charts: readonly Chart[];
}

export function scaleFigures(sizes: Sizes): Figures {
  const all = deploys(sizes);
  return {
    deploy: table(
      [
        '',
        'visible pages: usable again p50',
        'p95',
        'p99',
        'last client',
        'not back after 5 min',
        'attempts in the busiest second',
        'attempts per client',
        'longest queue in an object',
      ],
      all.map(({ name, result }) => [
        name,
        ...[result.usable.p50, result.usable.p95, result.usable.p99, result.usable.most].map(
          (ms) => `${(ms / 1000).toFixed(1)} s`,
        ),
        result.stillAway.toLocaleString('en'),
        result.peakTriesPerSecond.toLocaleString('en'),
        result.triesPerClient.toFixed(2),
        `${result.objectQueueMs.toFixed(0)} ms`,
      ]),
    ).join('\n'),
    hours: hoursTable(sizes.terminals),
    placement: placementTable(sizes.workspaces),
    charts: [
      deployChart(
        all.map(({ result }) => result),
        sizes,
      ),
    ],
  };
}

export function hoursTable(terminals: number): string {
  const rows = HABITS.map((habit) => {
    const { messages, awakeS, dollars } = simulateHours(habit, terminals, SEED);
    return [
      habit.name,
      Math.round(messages).toLocaleString('en'),
      Math.round(messages / 20).toLocaleString('en'),
      `${Math.round(awakeS).toLocaleString('en')} s`,
      `$${dollars.toFixed(5)}`,
      `$${Math.round(dollars * 1000 * 8 * 22).toLocaleString('en')}`,
    ];
  });
  const month = '1000 such terminals, 8 hours a day, 22 days';
  return table(['a terminal-hour', 'messages', 'requests', 'awake', 'costs', month], rows).join('\n');
}

export function placementTable(workspaces: number): string {
  const rows = (Object.keys(POLICIES) as Policy[]).map((policy) => {
    const options = { seed: SEED, workspaces, nearShare: 0.7, awayShare: 0.2, visits: 5 };
    const { echoP50Ms, echoP95Ms, addedP50Ms, addedP95Ms } = simulatePlacement(policy, options);
    return [policy, ...[echoP50Ms, echoP95Ms, addedP50Ms, addedP95Ms].map((ms) => `${ms.toFixed(0)} ms`)];
  });
  const columns = ['the object is', 'key to echo p50', 'p95', 'of that, added by the object p50', 'p95'];
  return table(columns, rows).join('\n');
}

const SHOWN_TENTHS = 321;

function deployChart(results: readonly DeployResult[], { clients }: Sizes): Chart {
  const [all, , , limited, herd] = results;
  const line = (label: string, result: DeployResult | undefined) => {
    let sum = 0;
    const points = Array.from({ length: SHOWN_TENTHS }, (_, tenth) => {
      sum += result?.returned[tenth] ?? 0;
      return [tenth / 10, (100 * sum) / clients] as const;
    });
    return { label, points };
  };
  return {
    kind: 'lines',
    name: 'deploy',
    title: 'Clients that are usable again after a deploy',
    unit: '%',
    x: { title: 'seconds since every socket was dropped' },
    lines: [line('no limit', all), line('limited edge', limited), line('limited, no jitter', herd)],
  };
}
