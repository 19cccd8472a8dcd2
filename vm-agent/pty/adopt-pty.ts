/** Continues with a program that an earlier keeper started, after that one was replaced in place by this process. */
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { adoptedExits } from './adopted-exits.ts';
import { EndedPty } from './ended-pty.ts';
import { UNKNOWN_EXIT } from './exit-status.ts';
import { isMaster } from './inherited-masters.ts';
import { kill } from './process-session.ts';
import type { AdoptPty, OwnedPty, PtyEvents, SavedPty } from './pty.ts';
import { RunningProgram } from './running-program.ts';
import { resizerOf } from './spawn-pty.ts';

const CLOSE_ON_EXEC = 0o2000000;

/** `lost`: a program had to be ended, because its terminal is not there. */
export function adoptWith(lost: (pid: number, why: string) => void): AdoptPty {
  return (saved, events) => {
    if (saved.terminal === null) return new EndedPty(saved);
    try {
      return adopt(saved, saved.terminal, events);
    } catch (error) {
      lost(saved.pid, (error as Error).message);
      kill(saved.pid, 'SIGKILL');
      // Later, because the caller does not have the program yet.
      setImmediate(() => events.exited(UNKNOWN_EXIT));
      return new EndedPty(saved);
    }
  };
}

function adopt(
  { pid, bornAt, ended }: SavedPty,
  { fd, path }: NonNullable<SavedPty['terminal']>,
  events: PtyEvents,
): OwnedPty {
  const why = masterTrouble(fd, path);
  if (why !== null) throw new Error(why);
  // It was closed for a moment. The kernel takes back that the terminal was hung up, if nobody else had it open.
  const slave = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  let program: RunningProgram;
  try {
    program = new RunningProgram({ fd, slave, path, pid, bornAt, resizeTo: resizerOf(fd) }, events);
  } catch (error) {
    closeSync(slave);
    throw error;
  }
  if (ended !== null) setImmediate(() => program.handleEnd(ended));
  else {
    const exits = adoptedExits();
    exits.watch({ pid, bornAt, ended: (exit) => program.handleEnd(exit) });
    // It may have ended before we listened.
    setImmediate(() => exits.look());
  }
  return program;
}

/** Why the descriptor is not the master of this terminal; null if it is. A wrong one would be another program's. */
function masterTrouble(fd: number, path: string): string | null {
  const { index } = descriptor(fd);
  return index !== undefined && path === `/dev/pts/${index}` ? null : `descriptor ${fd} is not ${path}`;
}

/** Why the master would not survive an exec of this process; null if it would. */
export function inheritanceTrouble({ terminal }: SavedPty): string | null {
  if (terminal === null) return null;
  const { fd, path } = terminal;
  const trouble = masterTrouble(fd, path);
  if (trouble !== null) return trouble;
  return (descriptor(fd).flags & CLOSE_ON_EXEC) === 0 ? null : `descriptor ${fd} would be closed`;
}

function descriptor(fd: number): { readonly flags: number; readonly index: string | undefined } {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1');
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '', 8);
    const index = isMaster(fd) ? /^tty-index:\s*(\d+)/m.exec(info)?.[1] : undefined;
    return { flags, index };
  } catch {
    return { flags: Number.NaN, index: undefined };
  }
}
