/** How a program exited, as a shell reports it. */
import { constants } from 'node:os';
import { EXIT } from '../command-line/exit-codes.ts';

export interface ProgramExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The program's own exit code, or 128 plus the number of the signal that ended it. */
export function exitCodeOf({ exitCode, signal }: ProgramExit): number {
  if (signal !== null) return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
  // A machine may report any number, and the system would cut 256 to 0, which means success.
  return exitCode !== null && EXIT_CODES.has(exitCode) ? exitCode : EXIT.failed;
}

const EXIT_CODES: ReadonlySet<number> = new Set(Array.from({ length: 256 }, (_, code) => code));
