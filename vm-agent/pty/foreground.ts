/**
 * Names the program in the foreground of a terminal: what Ctrl-C would stop and closing would lose.
 *
 * A shell at its prompt is reported by its own name. A shell that runs a script is reported by the script's name,
 * because closing it loses work as with any other program.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { COMMAND_LINE_READ_MAX_BYTES } from '../../protocol/limits.ts';
import { printable } from '../../protocol/printable.ts';
import { groupMember, processStat } from './process-session.ts';

const SHELLS: ReadonlySet<string> = new Set('sh bash dash zsh fish ksh mksh ash tcsh csh busybox'.split(' '));

/** Shell options that take the next argument as their value. */
const WITH_VALUE: ReadonlySet<string> = new Set('-o +o -O +O --rcfile --init-file --init-command'.split(' '));

/** Null if /proc does not tell. `pid` is the leader of the terminal's session, `starter` the process that forked it. */
export function foregroundOf(pid: number, starter = process.pid): string | null {
  return lookAt(pid, starter)?.name ?? null;
}

/** The program that Ctrl-C or closing would end; null if a shell waits at its prompt or /proc does not tell. */
export function runningProgramOf(pid: number): string | null {
  const found = lookAt(pid, process.pid);
  return found === null || found.isPrompt ? null : found.name;
}

interface Foreground {
  readonly name: string;
  /** Whether this is a shell that reads commands from a person. */
  readonly isPrompt: boolean;
}

function lookAt(pid: number, starter: number): Foreground | null {
  const leader = foregroundLeader(pid);
  if (leader === undefined || (leader === pid && isUnstarted(pid, starter))) return null;
  return processProgram(leader);
}

/** The first process of the foreground group in the session of `pid`; undefined if there is none. */
export function foregroundLeader(pid: number): number | undefined {
  const stat = processStat(pid);
  if (stat === undefined) return undefined;
  const group = stat.foregroundGroup;
  // The first process of a pipeline leads its group, and may end before the others.
  return processStat(group) === undefined ? groupMember(group, pid) : group;
}

/** What a process is; null if /proc does not tell. */
export function processProgram(pid: number): Foreground | null {
  const name = nameOf(pid);
  if (name === null) return null;
  const plain = name.replace(/^-/, ''); // a login shell calls itself "-bash"
  if (!SHELLS.has(plain)) return { name: printable(name), isPrompt: false };
  const task = taskOf(pid, plain);
  return { name: printable(task ?? name), isPrompt: task === null };
}

/** Whether `pid` was forked and has not become its program yet: until then it has the command line of its starter. */
export function isUnstarted(pid: number, starter = process.pid): boolean {
  const line = read(pid, 'cmdline');
  return line !== null && line === read(starter, 'cmdline');
}

/** Node names its main thread, which is then what /proc calls the program. */
const NODE_THREAD = 'MainThread';

function nameOf(pid: number): string | null {
  const name = read(pid, 'comm')?.trim() ?? null;
  if (name !== NODE_THREAD) return name;
  const [command = ''] = read(pid, 'cmdline')?.split('\0') ?? [];
  return basename(command) || name;
}

function taskOf(pid: number, shell: string): string | null {
  const [, ...args] = read(pid, 'cmdline')?.split('\0').slice(0, -1) ?? [];
  return shellTask(shell, args);
}

/** What a shell with these arguments runs; null if it reads commands from a person. */
export function shellTask(shell: string, args: readonly string[]): string | null {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    // Fish runs the value of -C before its first prompt; other shells have another -C.
    if (WITH_VALUE.has(arg) || (shell === 'fish' && arg === '-C')) at++;
    else if (/^-[a-z]*c/i.test(arg)) return `${shell} -c`;
    else if (/^-[a-z]*s/.test(arg))
      return null; // the rest are arguments for the commands that are typed
    else if (!/^[-+]/.test(arg)) return basename(arg);
  }
  return null;
}

/** Whether a program is a shell that reads commands from a person, so its directory may have changed. */
export function isInteractiveShell(command: string, args: readonly string[]): boolean {
  const name = basename(command);
  return SHELLS.has(name) && shellTask(name, args) === null;
}

/** What /proc has of a process, as far as it is looked at; null if it does not tell. */
export function read(pid: number, what: 'comm' | 'cmdline'): string | null {
  try {
    const file = openSync(`/proc/${pid}/${what}`, 'r');
    try {
      const bytes = Buffer.alloc(COMMAND_LINE_READ_MAX_BYTES);
      return bytes.toString('utf8', 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
