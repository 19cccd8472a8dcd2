/**
 * One agent per state directory.
 *
 * The lock is a symbolic link whose target names its owner. Making one is atomic, fails when there is one
 * already, needs no room on a full disk, and is never half-written. A process is named by its pid and, where
 * /proc tells, by boot and start time, so that a pid used again after a reboot is not taken for the owner.
 */
import { readFileSync } from 'node:fs';
import { readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The state directory can not be used; its message is the one sentence to show. */
export class StateDirectoryError extends Error {
  override readonly name = 'StateDirectoryError';
}

export interface DirectoryLock {
  release(): Promise<void>;
}

const LOCK_NAME = 'lock';

/** Two agents that find the same stale lock at once take turns; a third round means somebody holds it. */
const ATTEMPTS = 3;

export async function lockDirectory(dir: string): Promise<DirectoryLock> {
  const path = join(dir, LOCK_NAME);
  const me = nameOf(process.pid);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await makeLink(me, path)) {
      return { release: () => releaseLock(path, me) };
    }
    const owner = await readOwner(path);
    if (owner !== null && isAlive(owner)) throw inUse(dir, owner);
    if (owner !== null) await removeStale(path, owner);
  }
  throw new StateDirectoryError(`The state directory ${dir} is being taken by another agent; try again.`);
}

function inUse(dir: string, owner: string): StateDirectoryError {
  const pid = pidOf(owner);
  return new StateDirectoryError(
    `The state directory ${dir} is in use by the process ${pid}; stop that agent, or give this one another directory.`,
  );
}

async function makeLink(target: string, path: string): Promise<boolean> {
  try {
    await symlink(target, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Null when the lock is gone meanwhile. What is no link was made by nobody we know, and has no living owner. */
async function readOwner(path: string): Promise<string | null> {
  try {
    return await readlink(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';
  }
}

/** Moves the lock away and looks again: between reading and moving, somebody may have made a new one. */
async function removeStale(path: string, owner: string): Promise<void> {
  const aside = `${path}.stale-${process.pid}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = (await readOwner(aside)) ?? '';
  if (moved !== owner) await makeLink(moved, path);
  await rm(aside, { force: true, recursive: true });
}

async function releaseLock(path: string, me: string): Promise<void> {
  if ((await readOwner(path)) === me) await rm(path, { force: true });
}

function isAlive(owner: string): boolean {
  const pid = pidOf(owner);
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return nameOf(pid) === owner;
}

function pidOf(owner: string): number | null {
  const pid = Number.parseInt(owner, 10);
  return pid > 0 ? pid : null;
}

/** `pid`, or `pid-start-boot` where /proc tells. */
function nameOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold anything; the start is the 22nd.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${pid}-${start}-${boot}`;
  } catch {
    return String(pid);
  }
}
