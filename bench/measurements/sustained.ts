/** Much more output than is kept: throughput, and how far the screen falls behind. */
import { TITLES } from '../contenders/contender.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import { shell } from '../contenders/terminal.ts';
import { until } from '../deadline.ts';
import type { Effort } from '../effort.ts';
import { type LogFile, writeLogFile } from '../log-file.ts';
import { peakResidentBytes, residentBytesOf } from '../measuring/process-cost.ts';
import { median, pairedRatio } from '../measuring/statistics.ts';
import type { Section } from '../report/section.ts';
import { openLanes, takeTurns } from './lanes.ts';
import { printer, printFile } from './print-file.ts';

const LOOK_MS = 100;
const WITHIN_MS = 600_000;
const GOAL = 0.6;

export async function sustained({
  rounds,
  sustainedMebibytes,
  unattendedMebibytes,
}: Effort): Promise<Section> {
  await using file = await writeLogFile(sustainedMebibytes);
  const samples = await measureSustained(file, Math.ceil(rounds / 3));
  const unattended = await measureUnattended(file, Math.max(1, unattendedMebibytes / sustainedMebibytes));
  const rate = (name: 'pty' | 'switch' | 'holdfast') =>
    (samples.get(name) ?? []).map(({ mebibytesPerSecond }) => mebibytesPerSecond);
  const ours = samples.get('holdfast') ?? [];
  const share = median(
    ours.map((one) => one.othersMsPerMebibyte / (one.othersMsPerMebibyte + one.moverMsPerMebibyte)),
  );
  const ratio = pairedRatio(rate('holdfast'), rate('pty'));
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  const { emptyBytes, earlyBytes, lateBytes, peakBytes } = unattended;
  return {
    title: 'Sustained floods',
    how: `${sustainedMebibytes} MiB without a pause, in alternating rounds; then ${unattendedMebibytes} MiB in a session without clients.`,
    columns: ['', ''],
    rows: [
      ...(['pty', 'switch', 'holdfast'] as const).map((name) => [
        `${TITLES[name]}, watched`,
        `${median(rate(name)).toFixed(1)} MiB/s`,
      ]),
      ['Holdfast, relative to raw node-pty', `${ratio.toFixed(2)}×`],
      ['the screen’s share of the agent’s processor', `${(100 * share).toFixed(0)} %`],
      [
        'the screen has caught up',
        `${median(ours.map(({ catchUpMs }) => catchUpMs)).toFixed(0)} ms after the client`,
      ],
      ['nobody attached', `${unattended.mebibytesPerSecond.toFixed(1)} MiB/s`],
      [
        'the agent’s memory then: empty, early, late, peak',
        [emptyBytes, earlyBytes, lateBytes, peakBytes].map(megabytes).join(', '),
      ],
    ],
    goals: [
      {
        what: `throughput of ${sustainedMebibytes} MiB, relative to raw node-pty`,
        goal: `≥ ${GOAL}×`,
        figure: `${ratio.toFixed(2)}×`,
        isMet: ratio >= GOAL,
      },
    ],
    samples: { watched: Object.fromEntries(samples), unattended },
  };
}

async function measureSustained(file: LogFile, rounds: number) {
  await using resources = new AsyncDisposableStack();
  const lanes = await openLanes(resources, ['pty', 'switch', 'holdfast'], printer([file]));
  for (const { terminal } of lanes) await terminal.printed('ready');
  return await takeTurns(lanes, rounds, async (lane, round) => {
    const sample = await printFile(lane, file, 0, round);
    const arrivedAt = performance.now();
    await lane.contender.caughtUp?.();
    return { ...sample, catchUpMs: performance.now() - arrivedAt };
  });
}

interface UnattendedSample {
  readonly mebibytesPerSecond: number;
  readonly emptyBytes: number;
  /** Resident memory once the screen is full of history, on average over the rest, and at its worst. */
  readonly earlyBytes: number;
  readonly lateBytes: number;
  readonly peakBytes: number;
}

/** A session without clients prints `file` this many `times`. */
async function measureUnattended(file: LogFile, times: number): Promise<UnattendedSample> {
  await using holdfast = await Holdfast.start();
  const client = await holdfast.client();
  const emptyBytes = residentBytesOf(holdfast.machinePids);
  const printedBytes = file.printedBytes * times;
  const files = Array.from({ length: times }, () => `'${file.path}'`).join(' ');
  const startedAt = performance.now();
  await client.create(shell(`cat ${files}; exec sh`));
  const looks: { readonly printed: number; readonly resident: number }[] = [];
  await until(
    'everything printed',
    LOOK_MS,
    async () => {
      const printed = await holdfast.metric('holdfast_output_bytes');
      looks.push({ printed, resident: residentBytesOf(holdfast.machinePids) });
      return printed >= printedBytes;
    },
    WITHIN_MS,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const mean = (from: number, to: number) => {
    const within = looks.filter(
      ({ printed }) => printed > printedBytes * from && printed <= printedBytes * to,
    );
    return within.reduce((sum, { resident }) => sum + resident, 0) / within.length;
  };
  return {
    mebibytesPerSecond: printedBytes / 2 ** 20 / seconds,
    emptyBytes,
    earlyBytes: mean(0.1, 0.4),
    lateBytes: mean(0.7, 1.1),
    peakBytes: holdfast.machinePids.reduce((sum, pid) => sum + peakResidentBytes(pid), 0),
  };
}
