/** What sessions cost in memory, beside what their shells cost themselves. */
import { setTimeout as pause } from 'node:timers/promises';
import { AgentContender } from './agent-contender.ts';
import { until } from './deadline.ts';
import type { LogFile } from './log-file.ts';
import { childrenOf, proportionalBytes, residentBytes } from './process-cost.ts';
import { shell } from './terminal.ts';

export interface MemoryCase {
  readonly sessions: number;
  /** What each session prints; without it, a prompt. */
  readonly log?: LogFile;
}

export interface MemorySample {
  readonly sessions: number;
  readonly printedBytes: number;
  /** The agent's resident memory: without a session, with all of them, and with all their screens asleep. */
  readonly emptyBytes: number;
  readonly awakeBytes: number;
  readonly asleepBytes: number;
  /** All shells together. */
  readonly shellBytes: number;
}

/** Long enough for both heaps to be collected and for freed pages to be returned. */
const SETTLE_MS = 4_000;

const POLL_MS = 100;

/** Each case in an agent of its own. They wait for sleep at the same time: it takes a minute. */
export async function measureMemory(cases: readonly MemoryCase[]): Promise<MemorySample[]> {
  await using agents = new AsyncDisposableStack();
  const running = [];
  for (const one of cases) running.push(await fill(agents.use(await AgentContender.start()), one));
  const samples: MemorySample[] = [];
  for (const { agent, ...sample } of running) {
    await until('screens asleep', POLL_MS, async () => {
      return (await agent.metric('holdfast_screens{state="asleep"}')) === sample.sessions;
    });
    await pause(SETTLE_MS);
    samples.push({ ...sample, asleepBytes: residentBytes(agent.pid) });
  }
  return samples;
}

async function fill(agent: AgentContender, { sessions, log }: MemoryCase) {
  await pause(SETTLE_MS);
  const emptyBytes = residentBytes(agent.pid);
  const program = log === undefined ? shell('exec sh') : shell(`cat '${log.path}'; exec sh`);
  for (let n = 0; n < sessions; n++) await agent.relay.create(program);
  const expected = sessions * (log?.printedBytes ?? 1);
  await until('everything printed', POLL_MS, async () => {
    return (await agent.metric('holdfast_output_bytes')) >= expected;
  });
  await until('everything parsed', POLL_MS, async () => {
    return (await agent.metric('holdfast_screen_queue_bytes')) === 0;
  });
  await pause(SETTLE_MS);
  const shellBytes = childrenOf(agent.pid).reduce((sum, pid) => sum + proportionalBytes(pid), 0);
  const printedBytes = log?.printedBytes ?? 0;
  return { agent, sessions, printedBytes, emptyBytes, awakeBytes: residentBytes(agent.pid), shellBytes };
}
