/** Output at full speed: a burst that fits into the screen's queue, and one that is eight times as long. */
import type { ContenderName } from '../contenders/contender.ts';
import { TITLES } from '../contenders/contender.ts';
import type { Effort } from '../effort.ts';
import { type LogFile, writeLogFile } from '../log-file.ts';
import { median, pairedRatio, range } from '../measuring/statistics.ts';
import type { BarChart } from '../report/chart.ts';
import type { Section } from '../report/section.ts';
import { openLanes, takeTurns } from './lanes.ts';
import { type PrintSample, printer, printFile } from './print-file.ts';

/** Less than a screen's queue holds, so that parsing delays nothing. */
const BURST_MEBIBYTES = 6;

/** Bursts are short; several of them make one round. */
const BURSTS = 3;

const COUNTING: readonly ContenderName[] = ['pty', 'ws', 'switch', 'holdfast', 'ttyd', 'ttyd+tmux'];
const PARSING: readonly ContenderName[] = ['switch', 'holdfast', 'ttyd'];

type Client = 'counting' | 'parsing';
type Samples = ReadonlyMap<ContenderName, readonly PrintSample[]>;

export async function throughput(effort: Effort): Promise<Section> {
  await using resources = new AsyncDisposableStack();
  const burst = resources.use(await writeLogFile(BURST_MEBIBYTES));
  const long = resources.use(await writeLogFile(effort.throughputMebibytes));
  const counting = await printBoth(COUNTING, 'counting', burst, long, effort.rounds);
  const parsing = await printBoth(PARSING, 'parsing', burst, long, Math.ceil(effort.rounds / 3));
  const rate = (samples: Samples, name: ContenderName) =>
    (samples.get(name) ?? []).map((sample) => sample.mebibytesPerSecond);
  const ratio = (samples: Samples, to: ContenderName) =>
    pairedRatio(rate(samples, 'holdfast'), rate(samples, to));
  const messages = (counting.long.get('holdfast') ?? []).map((sample) => sample.messagesPerMebibyte ?? 0);
  return {
    title: 'From a program to a client',
    how:
      `Coloured log printed by \`cat\`, until the last byte has arrived: bursts of ${BURST_MEBIBYTES} MiB, which the screen's ` +
      `queue holds, and ${effort.throughputMebibytes} MiB. Medians of ${effort.rounds} alternating rounds, minimum and maximum in brackets; ` +
      'processor milliseconds and messages per MiB are for the longer one. The last columns are for a client that parses its input, as a page does.',
    columns: [
      '',
      'burst MiB/s',
      `${effort.throughputMebibytes} MiB, MiB/s`,
      '÷ node-pty',
      'mover ms/MiB',
      'screen and other threads ms/MiB',
      'relay ms/MiB',
      'messages/MiB',
      'bytes lost',
      'parsing client: burst MiB/s',
      'long MiB/s',
    ],
    rows: [...counting.long.keys()].map((name) => [
      TITLES[name],
      spread(rate(counting.burst, name)),
      spread(rate(counting.long, name)),
      pairedRatio(rate(counting.long, name), rate(counting.long, 'pty')).toFixed(2),
      ...costs(counting.long.get(name) ?? []),
      lost(name, [...(counting.burst.get(name) ?? []), ...(counting.long.get(name) ?? [])]),
      figure(rate(parsing.burst, name)),
      figure(rate(parsing.long, name)),
    ]),
    charts: [chart(counting.long, effort.throughputMebibytes)],
    ratios: {
      throughputVsSwitch: ratio(counting.burst, 'switch'),
      throughputVsPty: ratio(counting.burst, 'pty'),
      messagesPerMiB: median(messages),
    },
    samples: { counting: plain(counting), parsing: plain(parsing) },
  };
}

async function printBoth(
  names: readonly ContenderName[],
  client: Client,
  burst: LogFile,
  long: LogFile,
  rounds: number,
): Promise<{ burst: Samples; long: Samples }> {
  await using resources = new AsyncDisposableStack();
  const lanes = await openLanes(resources, names, printer([burst, long]), { client });
  for (const { terminal } of lanes) await terminal.printed('ready');
  // The first round of a new process is slow for all contenders, and says nothing about the next.
  await takeTurns(lanes, 1, (lane) => printFile(lane, burst, 0, 0));
  return {
    burst: await takeTurns(lanes, rounds * BURSTS, (lane, round) => printFile(lane, burst, 0, round)),
    long: await takeTurns(lanes, rounds, (lane, round) => printFile(lane, long, 1, round)),
  };
}

function costs(samples: readonly PrintSample[]): string[] {
  const of = (key: 'moverMsPerMebibyte' | 'othersMsPerMebibyte' | 'relayMsPerMebibyte') => {
    const value = median(samples.map((sample) => sample[key]));
    return value === 0 ? '–' : value.toFixed(1);
  };
  const messages = samples.flatMap(({ messagesPerMebibyte }) => messagesPerMebibyte ?? []);
  return [of('moverMsPerMebibyte'), of('othersMsPerMebibyte'), of('relayMsPerMebibyte'), figure(messages)];
}

/** tmux draws screens instead of forwarding output. */
function lost(name: ContenderName, samples: readonly PrintSample[]): string {
  if (name === 'ttyd+tmux') return 'redraws';
  const affected = samples.filter(({ lostBytes }) => lostBytes !== 0).length;
  return affected === 0 ? 'none' : `in ${affected} of ${samples.length} runs`;
}

const figure = (values: readonly number[]) => (values.length === 0 ? '–' : median(values).toFixed(1));

function spread(values: readonly number[]): string {
  const [least, most] = range(values);
  return `${figure(values)} (${least.toFixed(0)} to ${most.toFixed(0)})`;
}

function chart(samples: Samples, mebibytes: number): BarChart {
  return {
    kind: 'bars',
    name: 'throughput',
    title: `Throughput of ${mebibytes} MiB`,
    unit: 'MiB/s',
    bars: [...samples].map(([name, rounds]) => ({
      label: TITLES[name],
      value: median(rounds.map((sample) => sample.mebibytesPerSecond)),
      isOurs: name === 'holdfast',
    })),
  };
}

const plain = ({ burst, long }: { burst: Samples; long: Samples }) => ({
  burst: Object.fromEntries(burst),
  long: Object.fromEntries(long),
});
