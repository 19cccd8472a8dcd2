/** How a process ended, as the system tells it. Pure. */
import { constants } from 'node:os';
import type { Exit } from './pty.ts';

export const UNKNOWN_EXIT: Exit = { code: null, signal: null };

export function exitOf(code: number, signal: number): Exit {
  if (signal === 0) return { code, signal: null };
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return { code: null, signal: name ?? `SIG${signal}` };
}

/** What /proc/<pid>/stat says about a child; undefined if it was collected, null if it still runs. */
export type ChildStat = { readonly bornAt: string | undefined; readonly status: number } | null | undefined;

/**
 * Reads the text of /proc/<pid>/stat. A process is over if it is a zombie without further threads: the first thread
 * may end before the others.
 */
export function childStatIn(text: string): ChildStat {
  // The second field is the program's name in parentheses, and may contain some. The third follows the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if ((state !== 'Z' && state !== 'X') || Number(fields[17]) > 1) return null;
  return { bornAt: fields[19], status: Number(fields[49]) };
}

/** Reads a status as `waitpid` returns it: the signal in the low seven bits, the code above them. */
export function exitOfStatus(status: number): Exit {
  return exitOf((status >> 8) & 0xff, status & 0x7f);
}
