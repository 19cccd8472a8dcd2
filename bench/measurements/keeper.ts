/** What the keeper costs: the same product with it and in one process, beside the bare switch. */
import { type ContenderName, TITLES } from '../contenders/contender.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import type { Effort } from '../effort.ts';
import { writeLogFile } from '../log-file.ts';
import { ownBytes } from '../measuring/process-cost.ts';
import { median, pairedDifference, pairedRatio, quantile } from '../measuring/statistics.ts';
import type { Goal, Section } from '../report/section.ts';
import { FLOOD_MS, interrupt } from './ctrl-c.ts';
import { echoing, typeKeys } from './echo.ts';
import { type Lane, openLanes, takeTurns } from './lanes.ts';
import { printer, printFile } from './print-file.ts';

const CONTENDERS: readonly ContenderName[] = ['switch', 'direct', 'holdfast'];

/** Less than a screen's queue holds, so that parsing delays nothing. */
const BURST_MEBIBYTES = 6;
const FLOOD_MEBIBYTES = 64;

const ECHO_MAX = 1.25;
const ECHO_EXCESS_MAX_MS = 0.08;
const RATE_MIN = 0.95;
const CTRL_C_MAX = 2;
/** 16 MiB, and what it may hold for one session: 10 MiB of output, its history, and what the agent leaves. */
const OWN_MAX_BYTES = (16 + 10 + 0.25 + 1.5) * 2 ** 20;

interface KeySample {
  readonly p50: number;
  readonly p99: number;
  /** Processor milliseconds on the machine, per key. */
  readonly cost: number;
}

export async function keeper(effort: Effort): Promise<Section> {
  const keys = await measureKeys(effort.rounds * 2, effort.echoKeys);
  const bursts = await measureBursts(effort.rounds * 3);
  const stops = await interrupt(CONTENDERS, effort.rounds * 3, FLOOD_MS.loopback, 'counting');
  const memory = await measureMemory(effort.rounds);
  const at = (name: ContenderName, of: keyof KeySample) => (keys.get(name) ?? []).map((sample) => sample[of]);
  const rates = (name: ContenderName) =>
    (bursts.get(name) ?? []).map(({ mebibytesPerSecond }) => mebibytesPerSecond);
  const costs = (name: ContenderName) =>
    (bursts.get(name) ?? []).map(({ moverMsPerMebibyte }) => moverMsPerMebibyte);
  const stopMs = (name: ContenderName) => (stops.get(name) ?? []).map(({ ms }) => ms);
  const mebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const excessMs = pairedDifference(at('holdfast', 'p50'), at('direct', 'p50'));
  return {
    title: 'The keeper',
    how:
      `The product with its keeper, and in one process, beside the bare switch, in alternating rounds: keys typed into \`cat\`, bursts of ${BURST_MEBIBYTES} MiB, ` +
      'and Ctrl-C during `yes`. Medians; processor time is that of agent and keeper, without the threads of the screens. ' +
      `The keeper's own memory (not counting files that it shares with others) is ${mebibytes(memory.idle)} with one idle shell, and ${mebibytes(memory.after)} after that has printed ${effort.rounds} × ${FLOOD_MEBIBYTES} MiB.`,
    columns: ['', 'echo p50 ms', 'p99 ms', 'CPU ms per key', 'burst MiB/s', 'CPU ms/MiB', 'Ctrl-C ms'],
    rows: CONTENDERS.map((name) => [
      TITLES[name],
      median(at(name, 'p50')).toFixed(2),
      median(at(name, 'p99')).toFixed(2),
      name === 'switch' ? '–' : median(at(name, 'cost')).toFixed(2),
      median(rates(name)).toFixed(1),
      name === 'switch' ? '–' : median(costs(name)).toFixed(1),
      median(stopMs(name)).toFixed(1),
    ]),
    goals: [
      most(
        'echo p50 with a keeper, relative to the bare switch',
        pairedRatio(at('holdfast', 'p50'), at('switch', 'p50')),
        ECHO_MAX,
        '×',
      ),
      most('echo p50 with a keeper, minus that without', excessMs, ECHO_EXCESS_MAX_MS, ' ms'),
      least(
        'bursts with a keeper, relative to the bare switch',
        pairedRatio(rates('holdfast'), rates('switch')),
        RATE_MIN,
      ),
      most(
        'Ctrl-C with a keeper, relative to the bare switch',
        pairedRatio(stopMs('holdfast'), stopMs('switch')),
        CTRL_C_MAX,
        '×',
      ),
      {
        what: "the keeper's own memory after a flood",
        goal: `≤ ${mebibytes(OWN_MAX_BYTES)}`,
        figure: mebibytes(memory.after),
        isMet: memory.after <= OWN_MAX_BYTES,
      },
    ],
    ratios: { keeperEchoVsDirect: pairedRatio(at('holdfast', 'p50'), at('direct', 'p50')) },
    samples: {
      keys: Object.fromEntries(keys),
      bursts: Object.fromEntries(bursts),
      stops: Object.fromEntries(stops),
      memory,
    },
  };
}

function most(what: string, value: number, limit: number, unit: string): Goal {
  return { what, goal: `≤ ${limit}${unit}`, figure: `${value.toFixed(2)}${unit}`, isMet: value <= limit };
}

function least(what: string, value: number, limit: number): Goal {
  return { what, goal: `≥ ${limit}×`, figure: `${value.toFixed(2)}×`, isMet: value >= limit };
}

async function measureKeys(rounds: number, keys: number) {
  await using resources = new AsyncDisposableStack();
  const lanes = await openLanes(resources, CONTENDERS, echoing);
  for (const { terminal } of lanes) await terminal.printed('ready');
  const sample = async ({ contender, terminal }: Lane): Promise<KeySample> => {
    const before = contender.cost().moverMs;
    const ms = await typeKeys(terminal, keys);
    const cost = (contender.cost().moverMs - before) / keys;
    return { p50: quantile(ms, 0.5), p99: quantile(ms, 0.99), cost };
  };
  await takeTurns(lanes, 1, sample); // the first keys of a new process are slow
  return await takeTurns(lanes, rounds, sample);
}

async function measureBursts(rounds: number) {
  await using resources = new AsyncDisposableStack();
  const log = resources.use(await writeLogFile(BURST_MEBIBYTES));
  const lanes = await openLanes(resources, CONTENDERS, printer([log]));
  for (const { terminal } of lanes) await terminal.printed('ready');
  await takeTurns(lanes, 1, (lane) => printFile(lane, log, 0, 0));
  return await takeTurns(lanes, rounds, (lane, round) => printFile(lane, log, 0, round));
}

async function measureMemory(times: number): Promise<{ readonly idle: number; readonly after: number }> {
  await using holdfast = await Holdfast.start();
  await using log = await writeLogFile(FLOOD_MEBIBYTES);
  const terminal = await holdfast.open(printer([log]));
  await terminal.printed('ready');
  const pid = holdfast.keeperPid ?? holdfast.agentPid;
  const idle = ownBytes(pid);
  for (let time = 0; time < times; time++) await printFile({ contender: holdfast, terminal }, log, 0, time);
  return { idle, after: ownBytes(pid) };
}
