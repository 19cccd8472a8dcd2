/** The agent's measurements, and what their samples come to. */
import { AgentContender } from './agent-contender.ts';
import { BareContender } from './bare-contender.ts';
import { measureEcho } from './echo.ts';
import { measureSustained, measureUnattended } from './flood.ts';
import { writeLogFile } from './log-file.ts';
import { type MemorySample, measureMemory } from './memory.ts';
import type { Row, Section } from './report.ts';
import { median, quantile, range } from './statistics.ts';
import { measureThroughput, type ThroughputSample } from './throughput.ts';

const MB = 1e6;

/** How much is measured: all of it, or what a few minutes allow. */
export interface Effort {
  readonly rounds: number;
  readonly keys: number;
  readonly sustainedMebibytes: number;
  readonly unattendedMebibytes: number;
}

export const FULL: Effort = { rounds: 9, keys: 2000, sustainedMebibytes: 256, unattendedMebibytes: 1024 };
export const QUICK: Effort = { rounds: 3, keys: 500, sustainedMebibytes: 64, unattendedMebibytes: 256 };

export async function throughputSection({ rounds }: Effort): Promise<Section> {
  await using file = await writeLogFile(64);
  const samples = { agent: [] as ThroughputSample[], bare: [] as ThroughputSample[] };
  for (let round = 0; round < rounds; round++) {
    for (const start of [() => AgentContender.start(), () => BareContender.start()]) {
      await using contender = await start();
      samples[contender.name].push(await measureThroughput(contender, file));
    }
  }
  const of = (who: keyof typeof samples, what: keyof ThroughputSample) =>
    samples[who].map((one) => one[what]);
  const both = (what: keyof ThroughputSample) => ({
    ours: median(of('agent', what)).toFixed(1),
    beside: median(of('bare', what)).toFixed(1),
  });
  const ratio = median(of('agent', 'mebibytesPerSecond')) / median(of('bare', 'mebibytesPerSecond'));
  const [least, most] = range(of('agent', 'mebibytesPerSecond'));
  const [bareLeast, bareMost] = range(of('bare', 'mebibytesPerSecond'));
  return {
    title: 'From a terminal to a socket',
    how:
      `64 MiB of coloured log printed by \`cat\`, until the last byte has arrived; medians of ${rounds} rounds, ` +
      'in turn with node-pty and ws alone, which keep nothing, draw no screen and know no flow control.',
    rows: [
      { what: 'MiB/s', ...both('mebibytesPerSecond') },
      {
        what: 'least and most MiB/s',
        ours: `${least.toFixed(1)} to ${most.toFixed(1)}`,
        beside: `${bareLeast.toFixed(1)} to ${bareMost.toFixed(1)}`,
      },
      { what: 'ratio', ours: ratio.toFixed(2), beside: '1', goal: '≥ 0.8', isMet: ratio >= 0.8 },
      { what: 'processor ms per MiB, the thread that moves bytes', ...both('mainMsPerMebibyte') },
      { what: 'processor ms per MiB, other threads (the screen)', ...both('otherMsPerMebibyte') },
      { what: 'messages per MiB', ...both('framesPerMebibyte') },
    ],
    samples,
  };
}

export async function echoSection({ keys }: Effort): Promise<Section> {
  await using ours = await AgentContender.start();
  await using least = await BareContender.start();
  const [agent = [], bare = []] = await measureEcho([ours, least], keys);
  const rows = [0.5, 0.95, 0.99].map((q): Row => {
    const added = quantile(agent, q) - quantile(bare, q);
    const judged = q === 0.5 ? { goal: 'at most 0.3 ms more', isMet: added <= 0.3 } : {};
    const [ours, beside] = [agent, bare].map((samples) => `${quantile(samples, q).toFixed(2)} ms`);
    return { what: `p${q * 100}`, ours: ours ?? '', ...(beside === undefined ? {} : { beside }), ...judged };
  });
  return {
    title: 'A keystroke and its echo',
    how: `${keys} single keys typed at \`cat\` in a raw terminal, in bursts in turn with the same node-pty and ws.`,
    rows,
    samples: { agent, bare },
  };
}

export async function memorySection(): Promise<Section> {
  await using log = await writeLogFile((10 * MB) / 2 ** 20);
  const cases = [
    { sessions: 1 },
    { sessions: 50 },
    { sessions: 500 },
    { sessions: 1, log },
    { sessions: 20, log },
  ];
  const samples = await measureMemory(cases);
  const [first] = samples;
  return {
    title: 'Memory',
    how:
      'Resident memory of the agent, each case in an agent of its own; beside it the shells’ own. Nobody watches; ' +
      'asleep means that every screen has been put to sleep after a minute of quiet.',
    rows: [
      { what: 'no session', ours: `${megabytes(first?.emptyBytes ?? Number.NaN)} MB` },
      ...samples.flatMap(memoryRows),
    ],
    samples,
  };
}

function memoryRows(sample: MemorySample): Row[] {
  const { sessions, printedBytes, emptyBytes, awakeBytes, asleepBytes, shellBytes } = sample;
  const printed = printedBytes === 0 ? 'idle' : `after ${megabytes(printedBytes)} MB of output each`;
  const name = `${sessions} ${sessions === 1 ? 'session' : 'sessions'} ${printed}`;
  const each = (bytes: number) => (bytes - emptyBytes) / sessions;
  const figures = (bytes: number) => `${megabytes(bytes)} MB, ${megabytes(each(bytes), 2)} MB each`;
  const all = asleepBytes + shellBytes;
  const goal = { goal: '≤ 3 MB each', isMet: each(asleepBytes) <= 3 * MB };
  const room = { goal: '≤ 2 GB with the shells', isMet: all <= 2000 * MB };
  return [
    { what: `${name}, awake`, ours: figures(awakeBytes), beside: `${megabytes(shellBytes)} MB` },
    { what: `${name}, asleep`, ours: figures(asleepBytes), ...(sessions === 500 ? room : goal) },
  ];
}

export async function floodSection({ sustainedMebibytes, unattendedMebibytes }: Effort): Promise<Section> {
  await using file = await writeLogFile(sustainedMebibytes);
  const sustained = await measureSustained(file);
  const unattended = await measureUnattended(file, unattendedMebibytes / sustainedMebibytes);
  const { emptyBytes, earlyBytes, lateBytes, peakBytes } = unattended;
  return {
    title: 'Floods',
    how: 'One session prints far more than anything keeps: once watched, once with nobody there.',
    rows: [
      {
        what: `${sustainedMebibytes} MiB, watched`,
        ours: `${sustained.mebibytesPerSecond.toFixed(1)} MiB/s; screen caught up ${sustained.catchUpMs.toFixed(0)} ms after the viewer`,
      },
      {
        what: `${unattendedMebibytes} MiB, nobody attached`,
        ours: `${unattended.mebibytesPerSecond.toFixed(1)} MiB/s`,
      },
      {
        what: 'its memory: empty, early, late, peak',
        ours: `${[emptyBytes, earlyBytes, lateBytes, peakBytes].map((bytes) => megabytes(bytes)).join(', ')} MB`,
        goal: 'bounded: late ≤ 1.2 × early',
        isMet: lateBytes <= 1.2 * earlyBytes,
      },
    ],
    samples: { sustained, unattended },
  };
}

const megabytes = (bytes: number, digits = 0): string => (bytes / MB).toFixed(digits);
