/** What sessions cost in memory, in agent and relay, beside what their shells cost themselves. */
import { setTimeout as pause } from 'node:timers/promises';
import { Holdfast } from '../contenders/holdfast.ts';
import { shell } from '../contenders/terminal.ts';
import { until } from '../deadline.ts';
import type { Effort } from '../effort.ts';
import { type LogFile, writeLogFile } from '../log-file.ts';
import { childrenOf, proportionalBytes, residentBytes } from '../measuring/process-cost.ts';
import type { LineChart } from '../report/chart.ts';
import type { Goal, Section } from '../report/section.ts';

const MB = 1e6;
const KIB = 1024;

interface MemoryCase {
  readonly sessions: number;
  /** What each session prints; without it, a prompt. */
  readonly log?: LogFile;
}

interface MemorySample {
  readonly sessions: number;
  readonly printedBytes: number;
  /** The agent's resident memory: without a session, with all of them, and with all their screens asleep. */
  readonly emptyBytes: number;
  readonly awakeBytes: number;
  readonly asleepBytes: number;
  /** The relay's, before and with all of them. */
  readonly relayEmptyBytes: number;
  readonly relayBytes: number;
  /** All shells together. */
  readonly shellBytes: number;
}

/** Long enough for both heaps to be collected and for freed pages to be returned. */
const SETTLE_MS = 4_000;

const POLL_MS = 100;

/** 500 sessions of 10 MB take minutes to parse. */
const WITHIN_MS = 900_000;

/** Creating them faster than this is more than the relay takes from one client. */
const BETWEEN_CREATES_MS = 12;

/** What a session keeps of its output by default; see PTY_OUTPUT_BUFFER_SIZE. */
const RING_BYTES = 256 * KIB;

export async function memory({ memorySessions, printingSessionsMax }: Effort): Promise<Section> {
  await using log = await writeLogFile((10 * MB) / 2 ** 20);
  const idle = memorySessions.map((sessions): MemoryCase => ({ sessions }));
  const printing = memorySessions
    .filter((sessions) => sessions <= printingSessionsMax)
    .map((sessions): MemoryCase => ({ sessions, log }));
  const samples = await measureMemory([...idle, ...printing]);
  const [first] = samples;
  return {
    title: 'Memory',
    how:
      'Resident memory of agent and relay, each case in an agent and a relay of its own; beside it the shells’ own. Nobody watches; ' +
      'asleep means that every screen has been put to sleep after a minute of quiet. Per session: what the agent has grown by.',
    columns: ['', 'agent, awake', 'per session', 'agent, asleep', 'per session', 'relay', 'all shells'],
    rows: [
      ['no session', megabytes(first?.emptyBytes), '–', '–', '–', megabytes(first?.relayEmptyBytes), '–'],
      ...samples.map((sample) => [
        caseName(sample),
        megabytes(sample.awakeBytes),
        megabytes(each(sample, sample.awakeBytes), 2),
        megabytes(sample.asleepBytes),
        megabytes(each(sample, sample.asleepBytes), 2),
        megabytes(sample.relayBytes),
        megabytes(sample.shellBytes),
      ]),
    ],
    charts: [chart(samples)],
    goals: samples.filter(({ sessions }) => sessions >= 50).map(goal),
    samples,
  };
}

function goal(sample: MemorySample): Goal {
  const grown = each(sample, sample.asleepBytes);
  const what = `memory per session asleep, ${caseName(sample)}`;
  if (sample.printedBytes > 0)
    return { what, goal: '≤ 3 MB', figure: megabytes(grown, 2), isMet: grown <= 3 * MB };
  // A ring grows with what is printed, and a prompt prints next to nothing.
  const most = 64 * KIB + RING_BYTES;
  return {
    what,
    goal: `ring + ≤ 64 KiB (${megabytes(most, 2)})`,
    figure: megabytes(grown, 2),
    isMet: grown <= most,
  };
}

/** Each case in an agent of its own. They wait for sleep at the same time: it takes a minute. */
async function measureMemory(cases: readonly MemoryCase[]): Promise<MemorySample[]> {
  await using agents = new AsyncDisposableStack();
  const running = [];
  for (const one of cases) running.push(await fill(agents.use(await Holdfast.start()), one));
  const samples: MemorySample[] = [];
  for (const { holdfast, ...sample } of running) {
    await until(
      'screens asleep',
      POLL_MS,
      async () => (await holdfast.metric('holdfast_screens{state="asleep"}')) === sample.sessions,
      WITHIN_MS,
    );
    await pause(SETTLE_MS);
    samples.push({ ...sample, asleepBytes: residentBytes(holdfast.agentPid) });
  }
  return samples;
}

async function fill(holdfast: Holdfast, { sessions, log }: MemoryCase) {
  const client = await holdfast.client();
  await pause(SETTLE_MS);
  const emptyBytes = residentBytes(holdfast.agentPid);
  const relayEmptyBytes = residentBytes(holdfast.relayPid);
  const program = log === undefined ? shell('exec sh') : shell(`cat '${log.path}'; exec sh`);
  for (let n = 0; n < sessions; n++) {
    await client.create(program);
    await pause(BETWEEN_CREATES_MS);
  }
  const expected = sessions * (log?.printedBytes ?? 1);
  const isSo = async (metric: string, is: (value: number) => boolean) => is(await holdfast.metric(metric));
  await until(
    'everything printed',
    POLL_MS,
    () => isSo('holdfast_output_bytes', (bytes) => bytes >= expected),
    WITHIN_MS,
  );
  await until('everything parsed', POLL_MS, () =>
    isSo('holdfast_screen_queue_bytes', (bytes) => bytes === 0),
  );
  await pause(SETTLE_MS);
  const shellBytes = childrenOf(holdfast.agentPid).reduce((sum, pid) => sum + proportionalBytes(pid), 0);
  return {
    holdfast,
    sessions,
    printedBytes: log?.printedBytes ?? 0,
    emptyBytes,
    awakeBytes: residentBytes(holdfast.agentPid),
    relayEmptyBytes,
    relayBytes: residentBytes(holdfast.relayPid),
    shellBytes,
  };
}

function caseName({ sessions, printedBytes }: MemorySample): string {
  const printed = printedBytes === 0 ? 'idle' : `after ${megabytes(printedBytes)} each`;
  return `${sessions} ${sessions === 1 ? 'session' : 'sessions'} ${printed}`;
}

const each = ({ sessions, emptyBytes }: MemorySample, bytes: number) => (bytes - emptyBytes) / sessions;

const megabytes = (bytes = Number.NaN, digits = 0): string => `${(bytes / MB).toFixed(digits)} MB`;

function chart(samples: readonly MemorySample[]): LineChart {
  const [first] = samples;
  const line = (label: string, isPrinting: boolean, of: (sample: MemorySample) => number) => ({
    label,
    points: [
      [0, (first?.emptyBytes ?? 0) / MB] as const,
      ...samples
        .filter(({ printedBytes }) => printedBytes > 0 === isPrinting)
        .map((sample) => [sample.sessions, of(sample) / MB] as const),
    ],
  });
  return {
    kind: 'lines',
    name: 'memory',
    title: 'Resident memory of the agent',
    unit: 'MB',
    x: { title: 'sessions', isLogarithmic: true },
    lines: [
      line('idle, awake', false, ({ awakeBytes }) => awakeBytes),
      line('idle, asleep', false, ({ asleepBytes }) => asleepBytes),
      line('10 MB each, awake', true, ({ awakeBytes }) => awakeBytes),
      line('10 MB each, asleep', true, ({ asleepBytes }) => asleepBytes),
    ],
  };
}
