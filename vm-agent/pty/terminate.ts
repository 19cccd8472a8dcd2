/**
 * Ends a program and everything it started: asks, insists, kills. A shell passes the hang-up on to its jobs;
 * what ignores that gets SIGTERM, what ignores that too has no third choice.
 */
import type { Clock } from '../../protocol/clock.ts';
import type { Pty } from './pty.ts';

/** Time to save and leave between two steps; three of them stay below a second. */
export const STEP_MS = 250;

const STEPS: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGTERM', 'SIGKILL'];

/** Resolves when nothing is left, or has no choice any more. A program that has ended may leave jobs that have not. */
export function terminate(pty: Pty, clock: Clock): Promise<void> {
  return new Promise((resolve) => step(pty, clock, STEPS, resolve));
}

function step(pty: Pty, clock: Clock, [signal, ...rest]: readonly NodeJS.Signals[], done: () => void): void {
  if (signal === undefined || !pty.signal(signal) || rest.length === 0) done();
  else clock.after(STEP_MS, () => step(pty, clock, rest, done));
}
