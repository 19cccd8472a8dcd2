/** What the system tells of the foreground of a terminal, for whoever wants to type into it or to signal it. */
import { foregroundLeader, processProgram } from './foreground.ts';
import { kill, processStat } from './process-session.ts';
import { foregroundReads } from './waiting-for-input.ts';

export interface ForegroundLook {
  /** The name of the program. */
  readonly program: string;
  /** Whether it is the program that the session was started with. */
  readonly isOwn: boolean;
  /** Whether it is a shell that reads commands from a person. */
  readonly isShell: boolean;
  /** Whether it reads the terminal; null if the system does not tell. */
  readonly reads: boolean | null;
}

/** `pid` is the leader of the terminal's session. Null if nothing is known. */
export function lookAtForeground(pid: number): ForegroundLook | null {
  const leader = foregroundLeader(pid);
  const found = leader === undefined ? null : processProgram(leader);
  if (found === null) return null;
  return { program: found.name, isOwn: leader === pid, isShell: found.isPrompt, reads: foregroundReads(pid) };
}

/** Signals the foreground group of the terminal whose session `pid` leads. False if it is gone. */
export function signalForeground(pid: number, name: NodeJS.Signals): boolean {
  const group = processStat(pid)?.foregroundGroup ?? pid;
  return group > 0 && kill(-group, name);
}
