/** Lists the processes of this machine and their parents. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { hasProc } from './needs-proc.ts';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly residentBytes: number;
}

/** All running processes except zombies, which no test has to wait for. */
export function processes(): Process[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,rss=,stat=,comm=']).toString().split('\n');
  return rows.flatMap((row) => {
    const [, pid, parent, kib, stat, name = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    if (stat === undefined || stat.startsWith('Z')) return [];
    // macOS reports a program by its path.
    const residentBytes = Number(kib) * 1024;
    return [{ pid: Number(pid), parent: Number(parent), name: basename(name), residentBytes }];
  });
}

/** A process and all its descendants. */
export function familyOf(pid: number, all = processes()): Process[] {
  const children = all.filter(({ parent }) => parent === pid).flatMap((child) => familyOf(child.pid, all));
  return [...all.filter((process) => process.pid === pid), ...children];
}

/** The pid of our descendant that listens on this port of 127.0.0.1. */
export function listenerOn(port: number): number {
  const pid = hasProc ? holderOf(port) : Number(lsof(`-iTCP@127.0.0.1:${port}`, '-sTCP:LISTEN', '-Fp')[0]);
  if (pid === undefined) throw new Error(`nobody of ours listens on ${port}`);
  return pid;
}

function holderOf(port: number): number | undefined {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const LISTENING = '0A';
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const inode = rows.find(
    ([, local, , state]) => local === `0100007F:${hexPort}` && state === LISTENING,
  )?.[9];
  const holds = ({ pid }: Process) => openFiles(pid).includes(`socket:[${inode}]`);
  return familyOf(process.pid).find(holds)?.pid;
}

/** The values of the one requested field. */
function lsof(...args: string[]): string[] {
  const rows = execFileSync('lsof', ['-nP', ...args])
    .toString()
    .split('\n');
  const field = args.at(-1)?.slice(-1) ?? '';
  return rows.filter((row) => row.startsWith(field)).map((row) => row.slice(1));
}

/** The open files of a process, as named by /proc or else by lsof; empty for a process that has just ended. */
export function openFiles(pid: number): string[] {
  if (!hasProc) return lsof('-p', String(pid), '-d', '0-9999', '-a', '-Fn');
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
