/** Memory of sessions, in agent and relay, and of their shells. */
import type { Effort } from '../effort.ts';
import { writeLogFile } from '../log-file.ts';
import type { LineChart } from '../report/chart.ts';
import type { Goal, Section } from '../report/section.ts';
import { type MemoryCase, type MemorySample, measureMemory } from './session-memory.ts';

const MB = 1e6;
const KIB = 1024;

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
      'Resident memory of agent and relay, with a separate agent and relay for each case, and of the shells. No client is attached; ' +
      'awake: a few seconds after the last output, with at most 32 screens awake; asleep: with none. ' +
      'Per session: the growth of the agent.',
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
