/** Describes in words how a child process ends. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Resolves with `exit code 0`, `SIGKILL` or the like, or with why it could not be started. Never rejects. */
export async function howItEnds(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return signal ?? `exit code ${code}`;
  } catch (error) {
    return (error as Error).message;
  }
}
