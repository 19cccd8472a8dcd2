/**
 * Names of the programs in the foreground of the agent's terminals, without shells at their prompts. Empty without
 * /proc.
 */
import { runningProgramOf } from '../../vm-agent/pty/foreground.ts';
import { descendantsOf, processStat } from '../../vm-agent/pty/process-session.ts';

export function runningPrograms(agentPid: number): string[] {
  return descendantsOf([agentPid])
    .filter(({ pid }) => leadsTerminal(pid, agentPid))
    .flatMap(({ pid }) => runningProgramOf(pid) ?? []);
}

/** Each session of the agent is a child process that leads a terminal session. */
function leadsTerminal(pid: number, agentPid: number): boolean {
  const stat = processStat(pid);
  return stat?.parent === agentPid && stat.session === pid;
}
