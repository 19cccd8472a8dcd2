/**
 * Kills child processes when this process ends, even by SIGKILL, when none of our code can run.
 *
 * A shell of 1 MB reads from a pipe whose writing end only this process holds. Each line it reads lists the current
 * children. The kernel closes our end of the pipe when this process ends, however it ends, and the shell then kills the
 * children of the last line. (Linux has a call for this, but Node does not expose it, and macOS has none.)
 */
import { type ChildProcess, spawn } from 'node:child_process';

const WAIT_THEN_KILL = 'while read -r pids; do last=$pids; done; kill -9 $last 2>/dev/null';

/** A guard that somebody ended is started again, but a shell that does not work at all is not retried forever. */
const STARTS_MAX = 10;

const guarded = new Set<number>();
let guard: ChildProcess | undefined;
let starts = 0;

/** Returns a function to call once the child has ended by itself. */
export function endWithParent({ pid }: ChildProcess): () => void {
  if (pid === undefined) return () => {};
  guarded.add(pid);
  tellGuard();
  return () => {
    guarded.delete(pid);
    tellGuard();
  };
}

function tellGuard(): void {
  if (guarded.size === 0) {
    const idle = guard;
    guard = undefined;
    starts = 0;
    idle?.kill('SIGKILL');
    return;
  }
  guard ??= startGuard();
  guard?.stdin?.write(`${[...guarded].join(' ')}\n`);
}

function startGuard(): ChildProcess | undefined {
  if (++starts > STARTS_MAX) return undefined;
  // Outside our process group, like the children: Ctrl-C must not end it first.
  const child = spawn('/bin/sh', ['-c', WAIT_THEN_KILL], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.on('exit', () => {
    if (guard !== child) return;
    guard = undefined;
    tellGuard();
  });
  return child;
}
