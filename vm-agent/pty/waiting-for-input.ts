/**
 * Whether the program in the foreground of a terminal waits for input: from the kernel's view of who reads the terminal
 * and from the terminal's settings, never from silence.
 *
 * A process counts if it sleeps in a read of the terminal (thread-sleep.ts). A process of another user (sudo) cannot
 * be looked at; it counts if the terminal takes lines and shows nothing of them, as for a password.
 *
 * Each call reads some files of /proc, and starts `stty` if it has to. It is for moments, not for polling.
 */
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { processProgram } from './foreground.ts';
import { foregroundMembers, processStat } from './process-session.ts';
import { terminalSettings } from './terminal-settings.ts';
import { type OpenFiles, readsTerminal, sleepOf, watchedIn } from './thread-sleep.ts';

export interface InputWait {
  readonly waits: boolean;
  /** The terminal takes lines and does not show them: what is typed is a password. */
  readonly echoOff: boolean;
  /** The terminal takes whole lines, as opposed to single keys. */
  readonly takesLines: boolean;
  /** The program that waits; null if none does, or its name is not known. */
  readonly program: string | null;
  /**
   * The session's own shell reads a line by itself: in `read`, or, if it edits no lines, at its prompt. Only its marks
   * tell which. A shell that edits a line, and one that another program has started, are at their prompt and do not
   * count as waiting.
   */
  readonly isOwnShell: boolean;
}

const NOT: InputWait = {
  waits: false,
  echoOff: false,
  takesLines: false,
  program: null,
  isOwnShell: false,
};

/** More threads or descriptors are not looked at: such a program has more to wait for than its terminal. */
const THREADS_MAX = 64;
const FILES_MAX = 256;

/**
 * `pid` is the leader of the terminal's session. `ownShellCounts`: whether to look further if it is that shell which
 * reads; a caller who knows that it waits for a command spares the look at the terminal's settings.
 */
export async function waitingForInput(pid: number, ownShellCounts = true): Promise<InputWait> {
  const terminal = terminalOf(pid);
  if (terminal === null) return NOT;
  const looks = foregroundMembers(pid).map((member) => ({ member, reads: looksAt(member, terminal) }));
  const reader = looks.find(({ reads }) => reads === true) ?? looks.find(({ reads }) => reads === null);
  if (reader === undefined) return NOT;
  const program = processProgram(reader.member);
  const isShell = program?.isPrompt === true;
  const isOwnShell = isShell && reader.member === pid;
  if (isShell && !(isOwnShell && ownShellCounts)) return NOT;
  const { takesLines, echoOff } = await modesOf(terminal);
  if ((reader.reads === null && !echoOff) || (isShell && !takesLines)) return NOT;
  return { waits: true, echoOff, takesLines, program: program?.name ?? null, isOwnShell };
}

/** Whether some program in the foreground reads the terminal, a shell at its prompt included; null if we may not know. */
export function foregroundReads(pid: number): boolean | null {
  const terminal = terminalOf(pid);
  if (terminal === null) return null;
  const reads = foregroundMembers(pid).map((member) => looksAt(member, terminal));
  return reads.includes(true) || (reads.includes(null) ? null : false);
}

/** Linux gives this number to terminals of its own file system, which /dev/pts is. */
const PTS_MAJOR = 136;

/** The path of the terminal of a process; null if it has none, or there is no /proc. */
function terminalOf(pid: number): string | null {
  const number = processStat(pid)?.terminal ?? 0;
  if (((number >> 8) & 0xfff) !== PTS_MAJOR) return null;
  return `/dev/pts/${(number & 0xff) | ((number >> 12) & 0xfff00)}`;
}

/** Whether a process reads the terminal; null if we may not know. */
function looksAt(pid: number, terminal: string): boolean | null {
  const files = filesOf(pid);
  if (files === null) return null;
  const watched = (fd: number) => watchedIn(read(`/proc/${pid}/fdinfo/${fd}`) ?? '');
  return threadsOf(pid).some((thread) => {
    const sleep = sleepOf({ syscall: read(`${thread}/syscall`), wchan: read(`${thread}/wchan`) });
    return sleep !== null && readsTerminal(sleep, { files, terminal, watched });
  });
}

function threadsOf(pid: number): string[] {
  const threads = list(`/proc/${pid}/task`) ?? [];
  return threads.length > THREADS_MAX ? [] : threads.map((tid) => `/proc/${pid}/task/${tid}`);
}

/** Null if it belongs to another user. */
function filesOf(pid: number): OpenFiles | null {
  const fds = list(`/proc/${pid}/fd`);
  if (fds === null) return null;
  if (fds.length > FILES_MAX) return new Map();
  return new Map(fds.map((fd) => [Number(fd), link(`/proc/${pid}/fd/${fd}`)]));
}

async function modesOf(terminal: string): Promise<Pick<InputWait, 'takesLines' | 'echoOff'>> {
  const flags = (await settingsOf(terminal)).split(/[\s;]+/);
  const takesLines = flags.includes('icanon');
  return { takesLines, echoOff: takesLines && flags.includes('-echo') };
}

async function settingsOf(terminal: string): Promise<string> {
  let fd: number;
  try {
    fd = openSync(terminal, constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch {
    return '';
  }
  try {
    return await terminalSettings(fd);
  } finally {
    closeSync(fd);
  }
}

function list(folder: string): string[] | null {
  try {
    return readdirSync(folder);
  } catch (error) {
    // It has ended meanwhile; only a refusal means that it is another user's.
    return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '') ? null : [];
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
