/**
 * The exit codes of the commands, for scripts. The specific ones are above 63, so that none is mistaken for the code of
 * a program that `attach`, `wait` or `run` passes on. The numbers are those of sysexits.h; 124 is that of timeout(1).
 */
export const EXIT = {
  ok: 0,
  /** The command was refused or failed; the message on stderr says why. */
  failed: 1,
  /** The command line or a setting is invalid; nothing was done. */
  usage: 2,
  noSession: 66,
  unavailable: 69,
  /** Nothing was run or typed, because the shell or the keyboard of the session is busy. */
  busy: 73,
  /** A command was run and has not ended: it waits for input, or somebody has taken the keyboard. */
  unfinished: 74,
  /** The outcome is unknown: the connection was lost before the answer. */
  unknown: 75,
  notAllowed: 77,
  timedOut: 124,
} as const;

/** An expected failure of a command: the message to show, and the exit code. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, sentence: string) {
    super(sentence);
    this.exitCode = exitCode;
  }
}
