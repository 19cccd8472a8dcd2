/** Agents with many sessions, and their memory. */
import { setTimeout as pause } from 'node:timers/promises';
import { AWAKE_UNWATCHED_MAX } from '../../vm-agent/screen/limits.ts';
import { Holdfast } from '../contenders/holdfast.ts';
import { shell } from '../contenders/terminal.ts';
import { until } from '../deadline.ts';
import type { LogFile } from '../log-file.ts';
import { childrenOf, proportionalBytes, residentBytes, residentBytesOf } from '../measuring/process-cost.ts';

export interface MemoryCase {
  readonly sessions: number;
  /** What each session prints; without it, a prompt. */
  readonly log?: LogFile;
}

export interface MemorySample {
  readonly sessions: number;
  readonly printedBytes: number;
  /**
   * The agent's resident memory: without sessions, with all of them and the maximum of unattached screens awake, and
   * with all asleep.
   */
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

/** Creating them faster exceeds the relay's limit for one client. */
const BETWEEN_CREATES_MS = 12;

/** Each case has its own agent. They wait for sleep at the same time, because that takes a minute. */
export async function measureMemory(cases: readonly MemoryCase[]): Promise<MemorySample[]> {
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
    samples.push({ ...sample, asleepBytes: residentBytesOf(holdfast.machinePids) });
  }
  return samples;
}

async function fill(holdfast: Holdfast, { sessions, log }: MemoryCase) {
  const client = await holdfast.client();
  await pause(SETTLE_MS);
  const emptyBytes = residentBytesOf(holdfast.machinePids);
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
  await until('no more awake than may be', POLL_MS, () =>
    isSo('holdfast_screens{state="awake"}', (awake) => awake <= AWAKE_UNWATCHED_MAX),
  );
  await pause(SETTLE_MS);
  const shellBytes = childrenOf(holdfast.keeperPid ?? holdfast.agentPid)
    .filter((pid) => pid !== holdfast.agentPid)
    .reduce((sum, pid) => sum + proportionalBytes(pid), 0);
  return {
    holdfast,
    sessions,
    printedBytes: log?.printedBytes ?? 0,
    emptyBytes,
    awakeBytes: residentBytesOf(holdfast.machinePids),
    relayEmptyBytes,
    relayBytes: residentBytes(holdfast.relayPid),
    shellBytes,
  };
}
