/**
 * Names of the programs in the foreground of the keeper's terminals, without shells at their prompts. Empty without
 * /proc.
 */
import { runningProgramOf } from '../../vm-agent/pty/foreground.ts';
import { descendantsOf, processStat } from '../../vm-agent/pty/process-session.ts';

export function runningPrograms(keeperPid: number): string[] {
  return descendantsOf([keeperPid])
    .filter(({ pid }) => leadsTerminal(pid, keeperPid))
    .flatMap(({ pid }) => runningProgramOf(pid) ?? []);
}

/** Each session is a child process that leads the session of a terminal. The agent leads one without a terminal. */
function leadsTerminal(pid: number, keeperPid: number): boolean {
  const stat = processStat(pid);
  return stat?.parent === keeperPid && stat.session === pid && stat.foregroundGroup > 0;
}
