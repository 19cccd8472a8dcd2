/**
 * What runs in the foreground of a terminal, by name: what a person would stop with Ctrl-C, and lose by closing.
 *
 * A shell that waits at its prompt is called by its own name. One that runs a script is called by the script: it has
 * something to lose, as any other program has.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { printable } from '../../protocol/printable.ts';
import { groupMember, processStat } from './process-session.ts';

const SHELLS: ReadonlySet<string> = new Set('sh bash dash zsh fish ksh mksh ash tcsh csh busybox'.split(' '));

/** Options of shells that take the next argument with them. */
const WITH_VALUE: ReadonlySet<string> = new Set(['-o', '+o', '-O', '+O', '--rcfile', '--init-file']);

/** Null where /proc does not tell. `pid` leads the terminal's session. */
export function foregroundOf(pid: number): string | null {
  return lookAt(pid)?.name ?? null;
}

/** What Ctrl-C or the end of the terminal would end; null when a shell waits at its prompt, or /proc does not tell. */
export function runningProgramOf(pid: number): string | null {
  const found = lookAt(pid);
  return found === null || found.isPrompt ? null : found.name;
}

interface Foreground {
  readonly name: string;
  /** A shell that reads commands from a person. */
  readonly isPrompt: boolean;
}

function lookAt(pid: number): Foreground | null {
  const stat = processStat(pid);
  if (stat === undefined) return null;
  const group = stat.foregroundGroup;
  // The first of a pipeline leads its group, and may end before the others do.
  const leader = processStat(group) === undefined ? groupMember(group, pid) : group;
  const name = leader === undefined ? null : read(leader, 'comm')?.trim();
  if (leader === undefined || name === null || name === undefined) return null;
  if (leader === pid && isUnstarted(pid)) return null;
  const plain = name.replace(/^-/, ''); // a login shell calls itself "-bash"
  if (!SHELLS.has(plain)) return { name: printable(name), isPrompt: false };
  const task = taskOf(leader, plain);
  return { name: printable(task ?? name), isPrompt: task === null };
}

/** Whether a child of ours was forked and has not become its program yet: until then it has our command line. */
export function isUnstarted(pid: number): boolean {
  const line = read(pid, 'cmdline');
  return line !== null && line === read(process.pid, 'cmdline');
}

function taskOf(pid: number, shell: string): string | null {
  const [, ...args] = read(pid, 'cmdline')?.split('\0').slice(0, -1) ?? [];
  return shellTask(shell, args);
}

/** What a shell with these arguments runs; null when it reads commands from a person. */
export function shellTask(shell: string, args: readonly string[]): string | null {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (WITH_VALUE.has(arg)) at++;
    else if (/^-[a-z]*c/i.test(arg)) return `${shell} -c`;
    else if (/^-[a-z]*s/.test(arg))
      return null; // what follows are arguments for what is typed
    else if (!/^[-+]/.test(arg)) return basename(arg);
  }
  return null;
}

/** Whether a program is a shell that reads commands from a person, and so may be in another directory by now. */
export function isInteractiveShell(command: string, args: readonly string[]): boolean {
  const name = basename(command);
  return SHELLS.has(name) && shellTask(name, args) === null;
}

function read(pid: number, what: 'comm' | 'cmdline'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return null;
  }
}
