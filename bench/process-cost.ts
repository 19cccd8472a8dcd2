/** What a process costs, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor a process has used so far, its main thread's share apart from all others'. */
export function cpuMs(pid: number): { readonly main: number; readonly others: number } {
  const used = { main: 0, others: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ');
    used[Number(thread) === pid ? 'main' : 'others'] += Number(nanoseconds) / 1e6;
  }
  return used;
}

/** Resident memory now, in bytes. */
export const residentBytes = (pid: number): number => statusBytes(pid, 'VmRSS');

/** The most it ever was. */
export const peakResidentBytes = (pid: number): number => statusBytes(pid, 'VmHWM');

/** A process's share of memory: pages that several have in common count in parts. */
export function proportionalBytes(pid: number): number {
  return kilobytes(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'), 'Pss');
}

export function childrenOf(pid: number): number[] {
  const lists = readdirSync(`/proc/${pid}/task`).map((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1'),
  );
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}

function statusBytes(pid: number, field: string): number {
  return kilobytes(readFileSync(`/proc/${pid}/status`, 'latin1'), field);
}

function kilobytes(text: string, field: string): number {
  const [, found] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  return Number(found) * 1024;
}
