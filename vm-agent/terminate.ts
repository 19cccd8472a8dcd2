/**
 * Ends a program and everything it started: asks, insists, kills. A shell passes the hang-up on to its jobs;
 * what ignores that gets SIGTERM, what ignores that too has no third choice.
 */
import type { Clock } from '../protocol/clock.ts';
import type { Pty } from './pty.ts';

/** Time to save and leave between two steps; three of them stay below a second. */
export const STEP_MS = 250;

const STEPS: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGTERM', 'SIGKILL'];

export function terminate(pty: Pty, clock: Clock): void {
  step(pty, clock, STEPS);
}

function step(pty: Pty, clock: Clock, [signal, ...rest]: readonly NodeJS.Signals[]): void {
  if (signal === undefined || !pty.signal(signal)) return;
  if (rest.length > 0) clock.after(STEP_MS, () => step(pty, clock, rest));
}
