/** What sessions cost in memory, beside what their shells cost themselves. */
import { setTimeout as pause } from 'node:timers/promises';
import { SLEEP_AFTER_MS } from '../vm-agent/screen/limits.ts';
import { AgentContender } from './agent-contender.ts';
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
  const running = [];
  for (const one of cases) running.push(await fill(one));
  const samples: MemorySample[] = [];
  for (const { agent, ...sample } of running) {
    await until(async () => (await agent.metric('holdfast_screens{state="asleep"}')) === sample.sessions);
    await pause(SETTLE_MS);
    samples.push({ ...sample, asleepBytes: residentBytes(agent.pid) });
    await agent.stop();
  }
  return samples;
}

async function fill({ sessions, log }: MemoryCase) {
  const agent = await AgentContender.start();
  await pause(SETTLE_MS);
  const emptyBytes = residentBytes(agent.pid);
  const program = log === undefined ? shell('exec sh') : shell(`cat '${log.path}'; exec sh`);
  for (let n = 0; n < sessions; n++) await agent.relay.create(program);
  const expected = sessions * (log?.printedBytes ?? 1);
  await until(async () => (await agent.metric('holdfast_output_bytes')) >= expected);
  await until(async () => (await agent.metric('holdfast_screen_queue_bytes')) === 0);
  await pause(SETTLE_MS);
  const shellBytes = childrenOf(agent.pid).reduce((sum, pid) => sum + proportionalBytes(pid), 0);
  const printedBytes = log?.printedBytes ?? 0;
  return { agent, sessions, printedBytes, emptyBytes, awakeBytes: residentBytes(agent.pid), shellBytes };
}

/** Gives up after twice the time that sleep takes: a benchmark that hangs tells nothing. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 2 * SLEEP_AFTER_MS;
  while (!(await isDone())) {
    if (performance.now() > giveUpAt) throw new Error('the agent did not get there in two minutes');
    await pause(POLL_MS);
  }
}
