/** Finds the processes of a terminal session in /proc, and sends them signals. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { childStatIn } from './exit-status.ts';

/**
 * All processes of session `sid`. Job control gives each background job its own process group, so a group is not
 * enough. Undefined if there is no /proc, or no descriptor left to read it with.
 *
 * Linux does not reuse a session's number while the session has members. So if `sid` now belongs to a process with
 * another start time, our session is gone and the number was reused.
 */
export function sessionMembers(sid: number, bornAt: string | undefined): number[] | undefined {
  const leader = processStat(sid);
  if (leader !== undefined && leader.bornAt !== bornAt) return [];
  // The program becomes session leader just after its start, but may be signalled before that.
  const isMember = (pid: number): boolean =>
    pid === sid ? leader !== undefined || !isZombie(sid) : processStat(pid)?.session === sid;
  return allProcesses()?.filter(isMember);
}

/** Whether a process has ended and only waits to be collected: a signal to it would seem to have reached somebody. */
function isZombie(pid: number): boolean {
  try {
    return childStatIn(readFileSync(`/proc/${pid}/stat`, 'latin1')) !== null;
  } catch {
    return false;
  }
}

/** A process of this group in session `sid`, for a group whose leader has ended. */
export function groupMember(group: number, sid: number): number | undefined {
  const isMember = (pid: number): boolean => {
    const stat = processStat(pid);
    return stat?.group === group && stat.session === sid;
  };
  return childrenOf(sid).find(isMember) ?? groups.members(group).find(isMember);
}

/**
 * The processes in the foreground of session `sid`: those that get what is typed. Children are followed from the
 * session's leader, so a program that was handed to another parent is missed.
 */
export function foregroundMembers(sid: number): number[] {
  const group = processStat(sid)?.foregroundGroup;
  const found = [sid];
  for (const pid of found) found.push(...childrenOf(pid).slice(0, Math.max(0, CHILDREN_MAX - found.length)));
  return found.filter((pid) => {
    const stat = processStat(pid);
    return stat !== undefined && stat.group === group && stat.session === sid;
  });
}

/** An interactive shell has a handful of children; each costs a read of /proc. */
const CHILDREN_MAX = 64;

/** The children of a shell, which are nearly always the whole pipeline. Empty if the kernel does not report them. */
function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ');
    return children
      .map(Number)
      .filter((child) => child > 0)
      .slice(0, CHILDREN_MAX);
  } catch {
    return [];
  }
}

/** Reading every process takes tens of milliseconds, and every client that attaches asks what runs. */
const GROUPS_FRESH_MS = 1000;

/** All processes by group. Read again on demand if older than a second. */
export class ProcessGroups {
  readonly #now: () => number;
  readonly #read: () => readonly number[];
  #groups = new Map<number, number[]>();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(now = () => performance.now(), read: () => readonly number[] = () => allProcesses() ?? []) {
    this.#now = now;
    this.#read = read;
  }

  members(group: number): readonly number[] {
    if (this.#now() - this.#readAt >= GROUPS_FRESH_MS) {
      this.#readAt = this.#now();
      this.#groups = byGroup(this.#read());
    }
    return this.#groups.get(group) ?? [];
  }
}

function byGroup(pids: readonly number[]): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const pid of pids) {
    const group = processStat(pid)?.group;
    if (group === undefined) continue;
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [pid]);
    else members.push(pid);
  }
  return groups;
}

const groups = new ProcessGroups();

/** Identifies a process for good: pids are reused, start times are not. */
export interface Individual {
  readonly pid: number;
  readonly bornAt: string | undefined;
}

interface Child extends Individual {
  readonly parent: number;
}

/**
 * All descendants of `pids`, including those in other sessions (`setsid`). Daemons, whose parents exited on purpose,
 * are not included.
 */
export function descendantsOf(
  pids: readonly number[],
  processes: readonly Child[] = everybody(),
): Individual[] {
  const children = new Map<number, Individual[]>();
  for (const { pid, bornAt, parent } of processes) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [{ pid, bornAt }]);
    else siblings.push({ pid, bornAt });
  }
  const found = new Map<number, Individual>();
  // Not recursive: a program can start a chain of processes that is longer than the stack is deep.
  const left = [...pids];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (found.has(child.pid)) continue;
      found.set(child.pid, child);
      left.push(child.pid);
    }
  }
  return [...found.values()];
}

function everybody(): Child[] {
  return (allProcesses() ?? []).flatMap((pid) => {
    const stat = processStat(pid);
    return stat === undefined ? [] : [{ pid, bornAt: stat.bornAt, parent: stat.parent }];
  });
}

/** Undefined without /proc. */
export function allProcesses(): number[] | undefined {
  try {
    const pids = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0);
    // Not even this process is listed: /proc is an empty directory, as in a chroot.
    return pids.length === 0 ? undefined : pids;
  } catch {
    return undefined;
  }
}

interface ProcessStat {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The number of its terminal; 0 without one. */
  readonly terminal: number;
  readonly foregroundGroup: number;
  readonly bornAt: string | undefined;
}

/** What /proc says about a process; undefined if it has ended, even if it is still a zombie. */
export function processStat(pid: number): ProcessStat | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses, and may contain some. The third follows the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z'
    ? undefined
    : {
        parent: Number(fields[1]),
        group: Number(fields[2]),
        session: Number(fields[3]),
        terminal: Number(fields[4]),
        foregroundGroup: Number(fields[5]),
        bornAt: fields[19],
      };
}

/** False if there is no such process. A process of another user (sudo) exists, but cannot be signalled. */
export function kill(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The working directory of a process; null if /proc does not tell. */
export function cwdOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}
