/**
 * How a keeper is asked for a new agent, or for a new keeper too: by SIGURG for both. A process that does not expect
 * that signal ignores it, which matters right after an exec. Node gives every signal its default action when it starts,
 * whatever was blocked or ignored before, and a moment passes until ours are heard. SIGUSR2 would end the keeper in that
 * moment, and every shell.
 *
 * A signal cannot say which of the two it asks for, so the keeper looks who asks. Whoever wants a new keeper says so in
 * its command line, until it sees the result. Nobody else can write there, and nothing is left behind.
 */
import { readFileSync, statSync } from 'node:fs';
import { allProcesses } from '../pty/process-session.ts';

export const RELOAD_SIGNAL = 'SIGURG';

const ROOT = 0;

/** The command line (`process.title`) of a process that asks this keeper to replace itself. */
export function wishForKeeper(keeper: number): string {
  // Fits into the memory of the real command line, `node main.js reload --keeper`, which cuts what is longer.
  return `reload --keeper=${keeper}`;
}

/** Whether a process of this user, or of root, asks for a new keeper. Without /proc none can, and none can be made. */
export function isKeeperWanted(keeper = process.pid, uid = process.getuid?.()): boolean {
  const wish = wishForKeeper(keeper);
  return (allProcesses() ?? []).some((pid) => {
    try {
      return commandLine(pid) === wish && [uid, ROOT].includes(statSync(`/proc/${pid}`).uid);
    } catch {
      return false; // it has ended
    }
  });
}

/** What follows a shorter title are zeros. */
function commandLine(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replace(/\0+$/, '');
}
