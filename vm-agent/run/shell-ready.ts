/** Decides whether a session's shell waits for a command. Pure. */
import { Refusal } from '../../protocol/errors.ts';
import type { ForegroundLook } from '../pty/foreground-look.ts';

export interface ShellState {
  /** Null before the program was started, and if the system tells nothing. */
  readonly look: ForegroundLook | null;
  /** Whether the shell is at its prompt, as its marks tell; undefined if it makes none. */
  readonly isAtPrompt: boolean | undefined;
  /** The command that runs, as marks tell. */
  readonly running: string | null;
  /** Whether somebody has begun a line. */
  readonly isLineOpen: boolean;
  /** Whether its first prompt may still come. */
  readonly isYoung: boolean;
  /** For how long nothing was printed. */
  readonly quietMs: number;
}

/** Marks come with the prompt: a shell that waits for so long without any makes none. */
const NO_MARKS_AFTER_MS = 250;

/** `marked` and `unmarked`: it waits for a command. `later`: perhaps soon. Otherwise why it does not. */
export function shellReady(state: ShellState): 'marked' | 'unmarked' | 'later' | Refusal {
  const { look, isAtPrompt, running, isLineOpen, isYoung, quietMs } = state;
  if (running !== null) return busy(`It runs: ${running}`);
  if (look !== null && !(look.isOwn && look.isShell))
    return isYoung && isAtPrompt === undefined ? 'later' : busy(`In the foreground is ${look.program}.`);
  if (isAtPrompt === false || look?.reads === false) return 'later';
  if (isLineOpen) return busy('Somebody has begun a line at its prompt.');
  if (isAtPrompt === true) return 'marked';
  // A system that does not tell who waits cannot tell an unmarked prompt from a busy shell.
  return look?.reads === true && quietMs >= NO_MARKS_AFTER_MS ? 'unmarked' : 'later';
}

export function busy(why: string): Refusal {
  return new Refusal('shell_busy', `The shell of this session does not wait for a command. ${why}`);
}
