/**
 * Ends child processes when this process is gone, also by SIGKILL, when nothing of ours runs any more.
 *
 * One shell of 1 MB holds the reading end of a pipe whose writing end is ours alone. Each line it reads lists the children
 * there are. The kernel closes our end with us, however we end; the shell then ends those of the last line. (Linux could do
 * this by itself, but Node has no call for it, and macOS has none.)
 */
import { type ChildProcess, spawn } from 'node:child_process';

const WAIT_THEN_KILL = 'while read -r pids; do last=$pids; done; kill -9 $last 2>/dev/null';

/** A guard that somebody ended is started again; a shell that does not work at all is not started for ever. */
const STARTS_MAX = 10;

const guarded = new Set<number>();
let guard: ChildProcess | undefined;
let starts = 0;

/** Returns what to call once the child has ended by itself. */
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
  // Out of our process group, for the same reason as the children: Ctrl-C must not end it first.
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
