/** Which descriptors of this process are terminals that it, or the process that started it, owns. Linux only. */
import { readlinkSync } from 'node:fs';

const MASTERS: readonly string[] = ['/dev/ptmx', '/dev/pts/ptmx'];

export function isMaster(fd: number): boolean {
  try {
    return MASTERS.includes(readlinkSync(`/proc/self/fd/${fd}`));
  } catch {
    return false;
  }
}

export function inheritedMasters(fds: readonly number[]): number[] {
  return fds.filter(isMaster);
}
