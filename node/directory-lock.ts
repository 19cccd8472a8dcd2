/**
 * One agent per state directory.
 *
 * Locks are symbolic links `lock-<n>` whose targets name their owner; the one with the highest number counts.
 * Making a link is atomic, fails when there is one already, needs no room on a full disk, and is never
 * half-written. Numbers only grow: a lock whose owner is gone is not removed but outnumbered, and a release
 * leaves a higher one that names nobody. So however late a rival acts on what it read, it either fails to make
 * its link or finds a higher one beside it, and two never believe that they hold the directory.
 *
 * A process is named by its pid and, where /proc tells, by boot and start time, so that a pid used again after
 * a reboot is not taken for the owner.
 */
import { readFileSync } from 'node:fs';
import { readdir, readlink, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/** The state directory cannot be used; its message is the one sentence to show. */
export class StateDirectoryError extends Error {
  override readonly name = 'StateDirectoryError';
}

export interface DirectoryLock {
  release(): Promise<void>;
}

/** What a released lock names. */
const NOBODY = 'nobody';

export async function lockDirectory(dir: string): Promise<DirectoryLock> {
  const me = nameOf(process.pid);
  for (;;) {
    const newest = await highest(dir);
    const owner = newest === 0 ? NOBODY : await ownerOf(dir, newest);
    if (isAlive(owner)) throw inUse(dir, owner);
    const mine = newest + 1;
    if (!(await makeLink(me, dir, mine))) continue;
    if ((await highest(dir)) === mine) {
      await removeBelow(dir, mine);
      return { release: () => release(dir, mine) };
    }
    await rm(pathOf(dir, mine), { force: true });
  }
}

const pathOf = (dir: string, number: number) => join(dir, `lock-${number}`);

/** The number of the lock that counts; 0 when there is none. */
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

/** What is no link, or is gone meanwhile, has no living owner. */
async function ownerOf(dir: string, number: number): Promise<string> {
  try {
    return await readlink(pathOf(dir, number));
  } catch {
    return NOBODY;
  }
}

/** The higher one first: there is no moment at which our lock is gone and nothing outnumbers it. */
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

/** `pid`, or `pid-start-boot` where /proc tells. */
function nameOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold anything; the start is the 22nd.
    const [state, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // It has ended, and nobody has collected it yet; in a container without an init nobody ever does.
    if (state === 'Z') return NOBODY;
    return `${pid}-${more[18]}-${boot}`;
  } catch {
    return String(pid);
  }
}
