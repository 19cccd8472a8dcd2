/**
 * Ends a program and everything it started with SIGHUP, then SIGTERM, then SIGKILL. A shell passes SIGHUP on to its
 * jobs; what ignores it gets SIGTERM, and what ignores that too is killed.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Pty } from './pty.ts';

/** Time between two steps for programs to save and exit; all three steps take less than a second. */
export const STEP_MS = 250;

const STEPS: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGTERM', 'SIGKILL'];

type Signalled = Pick<Pty, 'signal'>;

/** Resolves when no process is left or all were killed. Jobs may outlive a program that has ended. */
export function terminate(pty: Signalled, clock: Clock): Promise<void> {
  return new Promise((resolve) => step(pty, clock, STEPS, resolve));
}

function step(
  pty: Signalled,
  clock: Clock,
  [signal, ...rest]: readonly NodeJS.Signals[],
  done: () => void,
): void {
  if (signal === undefined || !pty.signal(signal) || rest.length === 0) done();
  else clock.after(STEP_MS, () => step(pty, clock, rest, done));
}
