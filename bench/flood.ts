/** Much more output than anything keeps: how it holds up, and how far the screen falls behind. */
import { AgentContender } from './agent-contender.ts';
import { until } from './deadline.ts';
import type { LogFile } from './log-file.ts';
import { peakResidentBytes, residentBytes } from './process-cost.ts';
import { shell } from './terminal.ts';
import { measureThroughput } from './throughput.ts';

const POLL_MS = 5;
const LOOK_MS = 100;

export interface SustainedSample {
  readonly mebibytesPerSecond: number;
  /** From the last byte's arrival at the viewer until the screen shows it too. */
  readonly catchUpMs: number;
}

/** A watched session prints `file`. */
export async function measureSustained(file: LogFile): Promise<SustainedSample> {
  await using agent = await AgentContender.start();
  const { mebibytesPerSecond } = await measureThroughput(agent, file);
  const arrivedAt = performance.now();
  await until('the screen is up to date', POLL_MS, async () => {
    return (await agent.metric('holdfast_screen_queue_bytes')) === 0;
  });
  return { mebibytesPerSecond, catchUpMs: performance.now() - arrivedAt };
}

export interface UnattendedSample {
  readonly printedBytes: number;
  readonly mebibytesPerSecond: number;
  readonly emptyBytes: number;
  /** Resident memory once the screen is full of history, on average over the rest, and at its worst. */
  readonly earlyBytes: number;
  readonly lateBytes: number;
  readonly peakBytes: number;
}

/** A session nobody watches prints `file` so many `times`. */
export async function measureUnattended(file: LogFile, times: number): Promise<UnattendedSample> {
  await using agent = await AgentContender.start();
  const emptyBytes = residentBytes(agent.pid);
  const printedBytes = file.printedBytes * times;
  const files = Array.from({ length: times }, () => `'${file.path}'`).join(' ');
  const startedAt = performance.now();
  await agent.relay.create(shell(`cat ${files}; exec sh`));
  const looks: { readonly printed: number; readonly resident: number }[] = [];
  await until('everything printed', LOOK_MS, async () => {
    const printed = await agent.metric('holdfast_output_bytes');
    looks.push({ printed, resident: residentBytes(agent.pid) });
    return printed >= printedBytes;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  const peakBytes = peakResidentBytes(agent.pid);
  const mean = (from: number, to: number) => {
    const within = looks.filter(
      ({ printed }) => printed > printedBytes * from && printed <= printedBytes * to,
    );
    return within.reduce((sum, { resident }) => sum + resident, 0) / within.length;
  };
  return {
    printedBytes,
    mebibytesPerSecond: printedBytes / 2 ** 20 / seconds,
    emptyBytes,
    earlyBytes: mean(0.1, 0.4),
    lateBytes: mean(0.7, 1.1),
    peakBytes,
  };
}
