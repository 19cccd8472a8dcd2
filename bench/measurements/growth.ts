/** How idle sessions affect the one in use. */
import { setTimeout as pause } from 'node:timers/promises';
import { Holdfast } from '../contenders/holdfast.ts';
import { shell, type Terminal } from '../contenders/terminal.ts';
import type { Effort } from '../effort.ts';
import { type LogFile, writeLogFile } from '../log-file.ts';
import { cpuMs } from '../measuring/process-cost.ts';
import { median, pairedRatio, quantile } from '../measuring/statistics.ts';
import type { LineChart } from '../report/chart.ts';
import type { Goal, Section } from '../report/section.ts';
import { typeKeys } from './echo.ts';
import { printer, printFile } from './print-file.ts';

const MEBIBYTES = 6;
/** The only goal: the figures of one session, with this many others. */
const JUDGED_SESSIONS = 200;
const FACTOR_MAX = 1.1;
/** Creating them faster exceeds the relay's limit for one client. */
const BETWEEN_CREATES_MS = 12;
const IDLE_MS = 2_000;

interface Busy {
  readonly sessions: number;
  readonly holdfast: Holdfast;
  readonly echoing: Terminal;
  readonly printing: Terminal;
  readonly echoMs: number[];
  readonly rates: number[];
  idleCpuPercent: number;
}

export async function growth({ rounds, echoKeys, idleSessions }: Effort): Promise<Section> {
  await using resources = new AsyncDisposableStack();
  const log = resources.use(await writeLogFile(MEBIBYTES));
  const all: Busy[] = [];
  for (const sessions of idleSessions)
    all.push(await crowd(resources.use(await Holdfast.start()), sessions, log));
  for (let round = 0; round <= rounds * 2; round++) {
    for (const busy of round % 2 === 0 ? all : all.toReversed()) {
      const keys = await typeKeys(busy.echoing, echoKeys);
      const { mebibytesPerSecond } = await printFile(
        { contender: busy.holdfast, terminal: busy.printing },
        log,
        0,
        round,
      );
      if (round === 0) continue; // warms up
      busy.echoMs.push(quantile(keys, 0.5));
      busy.rates.push(mebibytesPerSecond);
    }
  }
  const [one] = all;
  return {
    title: 'Many sessions',
    how:
      `Echo p50 and throughput of ${MEBIBYTES} MiB in one session, while this many others are at their prompts in the same agent; alternating rounds. ` +
      'The last column is the processor use of the idle agent.',
    columns: ['idle sessions', 'echo p50 ms', '÷ one', 'MiB/s', '÷ one', 'idle processor'],
    rows: all.map(({ sessions, echoMs, rates, idleCpuPercent }) => [
      String(sessions),
      median(echoMs).toFixed(2),
      pairedRatio(echoMs, one?.echoMs ?? []).toFixed(2),
      median(rates).toFixed(1),
      pairedRatio(rates, one?.rates ?? []).toFixed(2),
      `${idleCpuPercent.toFixed(2)} %`,
    ]),
    charts: [chart(all)],
    goals: all.filter(({ sessions }) => sessions === JUDGED_SESSIONS).flatMap((busy) => goals(busy, one)),
    samples: all.map(({ sessions, echoMs, rates, idleCpuPercent }) => ({
      sessions,
      echoMs,
      rates,
      idleCpuPercent,
    })),
  };
}

async function crowd(holdfast: Holdfast, sessions: number, log: LogFile): Promise<Busy> {
  const client = await holdfast.client();
  for (let n = 0; n < sessions; n++) {
    await client.create(shell('exec sh'));
    await pause(BETWEEN_CREATES_MS);
  }
  const echoing = await holdfast.open(shell('stty raw -echo; printf ready; exec cat'));
  await echoing.printed('ready');
  const printing = await holdfast.open(printer([log]));
  await printing.printed('ready');
  const before = total(holdfast);
  await pause(IDLE_MS);
  const idleCpuPercent = (100 * (total(holdfast) - before)) / IDLE_MS;
  return { sessions, holdfast, echoing, printing, echoMs: [], rates: [], idleCpuPercent };
}

function total({ machinePids }: Holdfast): number {
  return machinePids.map(cpuMs).reduce((sum, { main, others }) => sum + main + others, 0);
}

function goals({ sessions, echoMs, rates }: Busy, one: Busy | undefined): Goal[] {
  const echo = pairedRatio(echoMs, one?.echoMs ?? []);
  const slower = 1 / pairedRatio(rates, one?.rates ?? []);
  const goal = `≤ ${FACTOR_MAX}×`;
  const beside = `with ${sessions} idle sessions, relative to one`;
  return [
    { what: `echo p50 ${beside}`, goal, figure: `${echo.toFixed(2)}×`, isMet: echo <= FACTOR_MAX },
    { what: `time of a burst ${beside}`, goal, figure: `${slower.toFixed(2)}×`, isMet: slower <= FACTOR_MAX },
  ];
}

function chart(all: readonly Busy[]): LineChart {
  const [one] = all;
  return {
    kind: 'lines',
    name: 'sessions',
    title: 'Cost of idle sessions to the one in use',
    unit: 'relative to one',
    x: { title: 'idle sessions', isLogarithmic: true },
    lines: [
      {
        label: 'echo p50',
        points: all.map(
          ({ sessions, echoMs }) => [sessions, pairedRatio(echoMs, one?.echoMs ?? [])] as const,
        ),
      },
      {
        label: 'time of a burst',
        points: all.map(
          ({ sessions, rates }) => [sessions, 1 / pairedRatio(rates, one?.rates ?? [])] as const,
        ),
      },
    ],
  };
}
