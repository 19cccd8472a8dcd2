/**
 * Ends a child process when this process is gone, also by SIGKILL, when nothing of ours runs any more.
 *
 * A shell of 1 MB holds the reading end of a pipe whose writing end is ours alone. The kernel closes our end with
 * us, however we end; the shell then ends the child. (Linux could do this by itself, but Node has no call for it, and
 * macOS has none.)
 */
import { type ChildProcess, spawn } from 'node:child_process';

const WAIT_THEN_KILL = 'read -r pid && { read -r _; kill -9 "$pid"; } 2>/dev/null';

/** A guard that somebody ended is started again; a shell that does not work at all is not started for ever. */
const STARTS_MAX = 10;

/** Returns what to call once the child has ended by itself. */
export function endWithParent(child: ChildProcess): () => void {
  let guard: ChildProcess | undefined;
  let starts = 0;
  let isReleased = false;
  const watch = () => {
    if (isReleased || child.pid === undefined || ++starts > STARTS_MAX) return;
    // Out of our process group, for the same reason as the child: Ctrl-C must not end it first.
    guard = spawn('/bin/sh', ['-c', WAIT_THEN_KILL], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    guard.on('error', () => {});
    guard.stdin?.on('error', () => {});
    guard.on('exit', watch);
    guard.stdin?.write(`${child.pid}\n`);
  };
  watch();
  return () => {
    isReleased = true;
    guard?.kill('SIGKILL');
  };
}
