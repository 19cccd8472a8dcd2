/**
 * How a command ended, for scripts. Above 63 so that none is mistaken for the code of a program that `attach` or
 * `wait` passes on; the numbers are those of sysexits.h, 124 is that of timeout(1).
 */
export const EXIT = {
  ok: 0,
  /** Something was refused or did not happen; the sentence on stderr says what. */
  failed: 1,
  /** The command line or a setting was not understood; nothing was done. */
  usage: 2,
  noSession: 66,
  unavailable: 69,
  /** It may have happened or not: the connection was lost before the answer. */
  unknown: 75,
  notAllowed: 77,
  timedOut: 124,
} as const;

/** An expected failure of a command: the sentence to show, and the exit code. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, sentence: string) {
    super(sentence);
    this.exitCode = exitCode;
  }
}
