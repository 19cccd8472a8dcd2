/** What the agent adds to node-pty and `ws`, without a relay in between. */
import { type ContenderName, TITLES } from '../contenders/contender.ts';
import type { Effort } from '../effort.ts';
import { writeLogFile } from '../log-file.ts';
import { median, pairedDifference, pairedRatio, quantile } from '../measuring/statistics.ts';
import type { Section } from '../report/section.ts';
import { echoing, typeKeys } from './echo.ts';
import { openLanes, takeTurns } from './lanes.ts';
import { type PrintSample, printer, printFile } from './print-file.ts';

const CONTENDERS: readonly ContenderName[] = ['pty', 'ws', 'agent'];
const MEBIBYTES = 6;
const RATE_MIN = 0.8;
const ECHO_EXCESS_MAX_MS = 0.3;

export async function agentAlone({ rounds, echoKeys }: Effort): Promise<Section> {
  const printed = await measurePrinting(rounds * 3);
  const echoes = await measureEchoes(rounds * 2, echoKeys);
  const rates = (name: ContenderName) =>
    (printed.get(name) ?? []).map(({ mebibytesPerSecond }) => mebibytesPerSecond);
  const echoMs = (name: ContenderName, q: number) =>
    (echoes.get(name) ?? []).map((keys) => quantile(keys, q));
  const rate = pairedRatio(rates('agent'), rates('ws'));
  const excessMs = pairedDifference(echoMs('agent', 0.5), echoMs('ws', 0.5));
  return {
    title: 'The agent alone',
    how: `The agent with a client directly at its socket, compared with a program that keeps nothing: bursts of ${MEBIBYTES} MiB, and keys typed into \`cat\`; alternating rounds, medians.`,
    columns: ['', 'MiB/s', 'mover ms/MiB', 'other threads ms/MiB', 'echo p50 ms', 'p95 ms'],
    rows: [...printed].map(([name, samples]) => [
      TITLES[name],
      median(rates(name)).toFixed(1),
      cost(samples, 'moverMsPerMebibyte'),
      cost(samples, 'othersMsPerMebibyte'),
      median(echoMs(name, 0.5)).toFixed(2),
      median(echoMs(name, 0.95)).toFixed(2),
    ]),
    goals: [
      {
        what: 'throughput of the agent alone, relative to node-pty + ws',
        goal: `≥ ${RATE_MIN}×`,
        figure: `${rate.toFixed(2)}×`,
        isMet: rate >= RATE_MIN,
      },
      {
        what: 'echo p50 of the agent alone, minus that of node-pty + ws',
        goal: `≤ ${ECHO_EXCESS_MAX_MS} ms`,
        figure: `${excessMs.toFixed(2)} ms`,
        isMet: excessMs <= ECHO_EXCESS_MAX_MS,
      },
    ],
    samples: { printed: Object.fromEntries(printed), echoes: Object.fromEntries(echoes) },
  };
}

async function measurePrinting(rounds: number) {
  await using resources = new AsyncDisposableStack();
  const log = resources.use(await writeLogFile(MEBIBYTES));
  const lanes = await openLanes(resources, CONTENDERS, printer([log]));
  for (const { terminal } of lanes) await terminal.printed('ready');
  await takeTurns(lanes, 1, (lane) => printFile(lane, log, 0, 0)); // the first of a fresh process is slow
  return await takeTurns(lanes, rounds, (lane, round) => printFile(lane, log, 0, round));
}

async function measureEchoes(rounds: number, keys: number) {
  await using resources = new AsyncDisposableStack();
  const lanes = await openLanes(resources, CONTENDERS, echoing);
  for (const { terminal } of lanes) await terminal.printed('ready');
  await takeTurns(lanes, 1, ({ terminal }) => typeKeys(terminal, keys));
  return await takeTurns(lanes, rounds, ({ terminal }) => typeKeys(terminal, keys));
}

function cost(samples: readonly PrintSample[], key: 'moverMsPerMebibyte' | 'othersMsPerMebibyte'): string {
  const ms = median(samples.map((sample) => sample[key]));
  return ms === 0 ? '–' : ms.toFixed(1);
}
