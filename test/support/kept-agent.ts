/** Finds the agent process of a keeper. */
import { readFileSync } from 'node:fs';
import { RELOAD_SIGNAL, wishForKeeper } from '../../vm-agent/keeper/reload-request.ts';
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

/** Kills agents of this keeper as soon as they run, until it starts them with less. */
export function killEarly(keeper: number): () => boolean {
  const killed = new Set<number>();
  return () => {
    // The first may have run for long enough not to count; the fourth early end is one more than is needed.
    if (killed.size === 4) return true;
    const agent = agentOf(keeper);
    if (agent !== undefined && !killed.has(agent)) {
      process.kill(agent, 'SIGKILL');
      killed.add(agent);
    }
    return killed.size === 4;
  };
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // it has just ended
  }
}
