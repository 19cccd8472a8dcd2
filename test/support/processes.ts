/** Who runs on this machine, and who started whom. */
import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';

/** Stubborn shells are given three quarters of a second; the rest is a slow machine. */
const GONE_WITHIN_MS = 10_000;

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
}

/** Everything that runs, zombies left out: nobody has to wait for those here. */
function processes(): Process[] {
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

/** Resolves when none is left. npm leaves before those it started, so its own end says little. */
export async function gone(family: readonly Process[]): Promise<void> {
  await expect.poll(() => survivorsOf(family), { timeout: GONE_WITHIN_MS }).toEqual([]);
}

function survivorsOf(family: readonly Process[]): Process[] {
  const alive = new Set(processes().map(({ pid }) => pid));
  return family.filter(({ pid }) => alive.has(pid));
}

/** The Node a person has, which runs the installed agent; ours comes with the development tools. */
export function machineNode(): string {
  const path = (process.env.PATH ?? '').split(':').filter((dir) => !dir.includes('node_modules'));
  return execFileSync('which', ['node'], { env: { PATH: path.join(':') } })
    .toString()
    .trim();
}
