/** The cost of a process, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';

/** Processor milliseconds that a process has used so far, with its main thread separate from the others. */
export function cpuMs(pid: number): { readonly main: number; readonly others: number } {
  const used = { main: 0, others: 0 };
  for (const [thread, ms] of threadCpuMs(pid)) used[thread === pid ? 'main' : 'others'] += ms;
  return used;
}

/** Milliseconds of processor that each thread of a process has used so far, by the thread's id. */
export function threadCpuMs(pid: number): Map<number, number> {
  const used = new Map<number, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ');
    used.set(Number(thread), Number(nanoseconds) / 1e6);
  }
  return used;
}

/** Resident memory now, in bytes. */
export const residentBytes = (pid: number): number => statusBytes(pid, 'VmRSS');

/** … of several processes. What they share counts in each. */
export const residentBytesOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => sum + residentBytes(pid), 0);

/** Of that, what is neither a file nor shared: heaps, buffers and stacks. */
export const ownBytes = (pid: number): number => statusBytes(pid, 'RssAnon');

/** The most it ever was. */
export const peakResidentBytes = (pid: number): number => statusBytes(pid, 'VmHWM');

/** A process's share of memory: shared pages count in parts. */
export function proportionalBytes(pid: number): number {
  return kilobytes(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'), 'Pss');
}

/** Runs `start`, which starts a workerd, and returns its process. One at a time. */
export async function workerdStartedBy<T>(start: () => Promise<T>): Promise<[T, pid: number]> {
  const before = new Set(childrenOf(process.pid));
  const started = await start();
  const pid = childrenOf(process.pid).find((child) => !before.has(child) && nameOf(child) === 'workerd');
  if (pid === undefined) throw new Error('invariant: a relay runs on a workerd of its own');
  return [started, pid];
}

function nameOf(pid: number): string {
  return readFileSync(`/proc/${pid}/comm`, 'latin1').trim();
}

export function childrenOf(pid: number): number[] {
  const lists = readdirSync(`/proc/${pid}/task`).map((thread) => childrenOfThread(pid, thread));
  return lists.join(' ').split(' ').filter(Boolean).map(Number);
}

/** None for a thread that has ended since it was listed. */
function childrenOfThread(pid: number, thread: string): string {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1');
  } catch {
    return '';
  }
}

function statusBytes(pid: number, field: string): number {
  return kilobytes(readFileSync(`/proc/${pid}/status`, 'latin1'), field);
}

function kilobytes(text: string, field: string): number {
  const [, found] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  return Number(found) * 1024;
}
