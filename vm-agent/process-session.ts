/** The processes of a terminal session, as /proc knows them, and signals to them. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The processes of session `sid`, wherever in it a shell has put them: job control gives each background
 * job a process group of its own. Undefined where there is no /proc, or no descriptor left to read it with.
 *
 * Linux keeps the number of a session out of use while it has members. So if `sid` now belongs to a
 * process born at another time, our session is gone and the number was given out again.
 */
export function sessionMembers(sid: number, bornAt: string | undefined): number[] | undefined {
  const leader = processStat(sid);
  if (leader !== undefined && leader.bornAt !== bornAt) return [];
  try {
    const pids = readdirSync('/proc').map(Number);
    // The program leads its session from just after its birth; it may be signalled before.
    const isMember = (pid: number): boolean => pid === sid || processStat(pid)?.session === sid;
    return pids.filter((pid) => pid > 0 && isMember(pid));
  } catch {
    return undefined;
  }
}

/** What /proc knows of a process; nothing of one that has ended, even if nobody has collected it yet. */
export function processStat(
  pid: number,
): { group: number; session: number; foregroundGroup: number; bornAt: string | undefined } | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The second field is a name of the program's choosing, in parentheses; the third follows the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z'
    ? undefined
    : {
        group: Number(fields[2]),
        session: Number(fields[3]),
        foregroundGroup: Number(fields[5]),
        bornAt: fields[19],
      };
}

/** False when there is no such process. One of another user (sudo) is there, but out of our reach. */
export function kill(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The working directory of a process; null where /proc does not tell. */
export function cwdOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
