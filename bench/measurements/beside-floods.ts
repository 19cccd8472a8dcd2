/** How long a snapshot of one session takes while another session floods. */
import { setTimeout as pause } from 'node:timers/promises';
import { Holdfast } from '../contenders/holdfast.ts';
import type { HoldfastClient } from '../contenders/holdfast-client.ts';
import { shell } from '../contenders/terminal.ts';
import { until } from '../deadline.ts';
import type { Effort } from '../effort.ts';
import { type LogFile, writeLogFile, writeText } from '../log-file.ts';
import { median, quantile } from '../measuring/statistics.ts';
import type { Goal, Section } from '../report/section.ts';

const SCOPES = ['screen', 'all'] as const;
type Scope = (typeof SCOPES)[number];

/** Fills the history of the observed session. */
const HISTORY_MEBIBYTES = 0.6;
const SNAPSHOTS_PER_ROUND = 6;
const BETWEEN_MS = 10;
/** Long enough for a flood to have filled every queue. */
const FLOODED_MS = 500;
const DELAY_MAX_MS = 100;

/** Each of these makes an unprotected parser do the work of ten thousand lines. */
const HOSTILE = '\x1b[99999L\x1b[99999S\x1b[99999b\x1b[2J'.repeat(2000);

interface Case {
  readonly title: string;
  readonly log: LogFile | null;
}

interface FloodSample {
  readonly title: string;
  readonly ms: Readonly<Record<Scope, readonly number[]>>;
}

export async function besideFloods({ rounds }: Effort): Promise<Section> {
  await using resources = new AsyncDisposableStack();
  const cases: readonly Case[] = [
    { title: 'nothing', log: null },
    { title: 'coloured log', log: resources.use(await writeLogFile(8)) },
    { title: 'sequences with huge counts', log: resources.use(await writeText(HOSTILE)) },
  ];
  const samples: FloodSample[] = [];
  for (const one of cases) samples.push(await measureCase(one, rounds * SNAPSHOTS_PER_ROUND));
  const [idle, ...flooded] = samples;
  const at = ({ ms }: FloodSample, scope: Scope, q: number) => quantile(ms[scope], q).toFixed(1);
  return {
    title: 'A snapshot during a flood',
    how:
      'Milliseconds from requesting a snapshot of one quiet session from the relay, its screen or all of its 5 000 lines, until it arrives, ' +
      'while another session of the same agent prints endlessly without clients.',
    columns: ['beside', 'screen p50', 'p95', 'most', 'all p50', 'p95', 'most'],
    rows: samples.map((sample) => [
      sample.title,
      ...SCOPES.flatMap((scope) => [0.5, 0.95, 1].map((q) => at(sample, scope, q))),
    ]),
    goals: flooded.flatMap((sample) => goalsOf(sample, idle)),
    samples,
  };
}

function goalsOf({ title, ms }: FloodSample, idle: FloodSample | undefined): Goal[] {
  const delay = Math.max(...SCOPES.map((scope) => quantile(ms[scope], 0.95) - median(idle?.ms[scope] ?? [])));
  return [
    {
      what: `delay of a snapshot by a flood of ${title} in another session (p95)`,
      goal: `≤ ${DELAY_MAX_MS} ms`,
      figure: `${delay.toFixed(0)} ms`,
      isMet: delay <= DELAY_MAX_MS,
    },
  ];
}

async function measureCase({ title, log }: Case, count: number): Promise<FloodSample> {
  await using history = await writeLogFile(HISTORY_MEBIBYTES);
  await using holdfast = await Holdfast.start();
  const client = await holdfast.client();
  const id = await client.create(shell(`cat '${history.path}'; read end`));
  await until('the history', BETWEEN_MS, async () => {
    return (await holdfast.metric('holdfast_output_bytes')) >= history.printedBytes;
  });
  await holdfast.caughtUp();
  if (log !== null) {
    await client.create(shell(`while cat '${log.path}'; do :; done`));
    await pause(FLOODED_MS);
  }
  const take = (scope: Scope) => takeSnapshots(client, id, scope, count);
  return { title, ms: { screen: await take('screen'), all: await take('all') } };
}

async function takeSnapshots(
  { client }: HoldfastClient,
  id: string,
  scope: Scope,
  count: number,
): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < count; n++) {
    const askedAt = performance.now();
    await client.snapshot(id, 'ansi', scope);
    samples.push(performance.now() - askedAt);
    await pause(BETWEEN_MS);
  }
  return samples;
}
