/** Waits for processes to end, and finds the machine's own Node. */
import { execFileSync } from 'node:child_process';
import { expect, vi } from 'vitest';
import { type Process, processes } from './process-table.ts';

/** Resolves when none is left. npm exits before the processes it started, so its own exit says little. */
export async function gone(family: readonly Process[]): Promise<void> {
  // Not expect.poll, which does not work in hooks.
  await vi.waitFor(() => expect(survivorsOf(family)).toEqual([]), { timeout: 90_000 });
}

function survivorsOf(family: readonly Process[]): Process[] {
  const alive = new Set(processes().map(({ pid }) => pid));
  return family.filter(({ pid }) => alive.has(pid));
}

/** The Node that the user has, which runs the installed agent; ours comes with the development tools. */
export function machineNode(): string {
  const path = (process.env.PATH ?? '').split(':').filter((dir) => !dir.includes('node_modules'));
  return execFileSync('which', ['node'], { env: { PATH: path.join(':') } })
    .toString()
    .trim();
}
