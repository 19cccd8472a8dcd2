/**
 * A lock that allows only one agent per state directory.
 *
 * Locks are symbolic links `lock-<n>` whose targets name their owner; the one with the highest number counts. Creating
 * a link is atomic, fails if it exists, needs no space on a full disk and is never half-written. Numbers only grow: a
 * lock whose owner is gone is not removed but superseded by a higher number, and a release leaves a higher lock without
 * an owner. So a rival that acts late on what it read either fails to create its link or finds a higher one, and two
 * processes never both believe that they hold the directory.
 *
 * A process is named by its pid and, if /proc is available, by boot id and start time, so that a pid reused after a
 * reboot is not mistaken for the owner.
 */
import { readFileSync } from 'node:fs';
import { readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The state directory cannot be used; the message is shown to the user. */
export class StateDirectoryError extends Error {
  override readonly name = 'StateDirectoryError';
}

export interface DirectoryLock {
  release(): Promise<void>;
}

/** The owner named by a released lock. */
const NOBODY = 'nobody';

/** `patience`: resolves with false when there is no point in waiting for the present owner any longer. */
export async function lockDirectory(
  dir: string,
  patience: () => Promise<boolean> = async () => false,
): Promise<DirectoryLock> {
  const me = nameOf(process.pid);
  for (;;) {
    const newest = await highest(dir);
    const owner = newest === 0 ? NOBODY : await ownerOf(dir, newest);
    if (isAlive(owner)) {
      if (await patience()) continue;
      throw inUse(dir, owner);
    }
    const mine = newest + 1;
    if (!(await makeLink(me, dir, mine))) continue;
    if ((await highest(dir)) === mine) {
      await removeBelow(dir, mine);
      return { release: () => release(dir, mine) };
    }
    await rm(pathOf(dir, mine), { force: true });
  }
}

/** The pid of the process that holds the directory; null if none does, or if there is no such directory. */
export async function lockOwner(dir: string): Promise<number | null> {
  const newest = await highest(dir).catch(() => 0);
  const owner = newest === 0 ? NOBODY : await ownerOf(dir, newest);
  return isAlive(owner) ? pidOf(owner) : null;
}

const pathOf = (dir: string, number: number) => join(dir, `lock-${number}`);

/** The number of the lock that counts; 0 if there is none. */
async function highest(dir: string): Promise<number> {
  return Math.max(0, ...(await numbers(dir)));
}

async function numbers(dir: string): Promise<number[]> {
  return (await readdir(dir)).flatMap((name) => {
    const [, number] = /^lock-(\d{1,15})$/.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}

async function makeLink(target: string, dir: string, number: number): Promise<boolean> {
  try {
    await symlink(target, pathOf(dir, number));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A lock that is not a link, or is gone meanwhile, has no living owner. */
async function ownerOf(dir: string, number: number): Promise<string> {
  try {
    return await readlink(pathOf(dir, number));
  } catch {
    return NOBODY;
  }
}

/** The higher lock is created first, so that there is always one that counts. */
async function release(dir: string, mine: number): Promise<void> {
  if ((await highest(dir)) !== mine) return;
  await makeLink(NOBODY, dir, mine + 1);
  await removeBelow(dir, mine + 1);
}

async function removeBelow(dir: string, number: number): Promise<void> {
  for (const old of await numbers(dir)) {
    if (old < number) await rm(pathOf(dir, old), { force: true, recursive: true });
  }
}

function inUse(dir: string, owner: string): StateDirectoryError {
  const pid = pidOf(owner);
  return new StateDirectoryError(
    `The state directory ${dir} is in use by the process ${pid}; stop it, or choose another directory.`,
  );
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

/** `pid`, or `pid-start-boot` if /proc is available. */
function nameOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may contain anything; the start time is the 22nd.
    const [state, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie: it has ended but was not reaped. In a container without an init it never will be.
    if (state === 'Z') return NOBODY;
    return `${pid}-${more[18]}-${boot}`;
  } catch {
    return String(pid);
  }
}
