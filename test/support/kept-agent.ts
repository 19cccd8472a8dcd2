/** Finds the agent process of a keeper. */
import { readFileSync } from 'node:fs';
import { processes } from './process-table.ts';

/** Undefined while there is none: it has ended, and the next one has not been started yet. */
export function agentOf(keeper: number): number | undefined {
  return processes().find(({ pid, parent }) => parent === keeper && commandLine(pid).includes('agent/main'))
    ?.pid;
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return ''; // it has just ended
  }
}
