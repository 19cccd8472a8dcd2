/** Who runs on this machine, and who started whom. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** Everything that runs, zombies left out: nobody has to wait for those here. */
export function processes(): Process[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,comm=']).toString().split('\n');
  return rows.flatMap((row) => {
    const [, pid, parent, stat, name] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    return stat === undefined || stat.startsWith('Z')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), name: name ?? '' }];
  });
}

/** A process and all that it and its children started. */
export function familyOf(pid: number, all = processes()): Process[] {
  const children = all.filter(({ parent }) => parent === pid).flatMap((child) => familyOf(child.pid, all));
  return [...all.filter((process) => process.pid === pid), ...children];
}

/** Which of our children listens on this port of 127.0.0.1. */
export function listenerOn(port: number): number {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const LISTENING = '0A';
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const inode = rows.find(
    ([, local, , state]) => local === `0100007F:${hexPort}` && state === LISTENING,
  )?.[9];
  const holds = ({ pid }: Process) => openFiles(pid).includes(`socket:[${inode}]`);
  const holder = familyOf(process.pid).find(holds);
  if (holder === undefined) throw new Error(`nobody of ours listens on ${port}`);
  return holder.pid;
}

/** What a process has open, as /proc names it; nothing for one that has just gone. */
export function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
