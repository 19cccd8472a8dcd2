/** Finds the agent process of a keeper. */
import { readFileSync } from 'node:fs';
import { RELOAD_SIGNAL, wishForKeeper } from '../../vm-agent/keeper/reload-request.ts';
import { EARLY_END_MS, EARLY_ENDS_PER_STEP } from '../../vm-agent/keeper/restart-policy.ts';
import { processes } from './process-table.ts';

/** Undefined while there is none: it has ended, and the next one has not been started yet. */
export function agentOf(keeper: number): number | undefined {
  return processes().find(({ pid, parent }) => parent === keeper && commandLine(pid).includes('agent/main'))
    ?.pid;
}

/** Asks a keeper to replace its agent, as the unit does. */
export function askForAgent(keeper: number): void {
  process.kill(keeper, RELOAD_SIGNAL);
}

/** … and itself too. Every request until the end of this one asks for that. */
export function askForKeeper(keeper: number): Disposable {
  const { title } = process;
  process.title = wishForKeeper(keeper);
  askForAgent(keeper);
  return {
    [Symbol.dispose]() {
      process.title = title;
    },
  };
}

/**
 * Kills agents of this keeper as soon as they run, until it starts them with less: on a busy machine, one may have run
 * for too long to count. Called repeatedly; true when it is done.
 */
export function killEarly(keeper: number, logs: readonly string[]): () => boolean {
  const killed = new Set<number>();
  return () => {
    if (earlyEnds(logs.join('')) >= EARLY_ENDS_PER_STEP) return true;
    const agent = agentOf(keeper);
    if (agent !== undefined && !killed.has(agent)) {
      process.kill(agent, 'SIGKILL');
      killed.add(agent);
    }
    return false;
  };
}

/** How many of the last agents ended early in a row. One that the keeper might have taken for a late one is not counted. */
function earlyEnds(log: string): number {
  let ends = 0;
  let readyAt: number | null = null;
  for (const [, time = '', event] of log.matchAll(
    /"time":"([^"]+)"[^}]*"event":"(agent_ready|agent_ended)"/g,
  )) {
    const at = Date.parse(time);
    if (event === 'agent_ready') readyAt = at;
    else {
      ends = readyAt === null || at - readyAt < EARLY_END_MS / 2 ? ends + 1 : 0;
      readyAt = null;
    }
  }
  return ends;
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // it has just ended
  }
}
