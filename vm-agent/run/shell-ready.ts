/** Decides whether a session's shell waits for a command. Pure. */
import { Refusal } from '../../protocol/errors.ts';

/** What the system tells of the foreground of a terminal. */
export interface ForegroundLook {
  /** The name of the program; null if unknown. */
  readonly program: string | null;
  /** Whether it is the session's own program. */
  readonly isOwn: boolean;
  /** Whether it is a shell that reads commands from a person. */
  readonly isShell: boolean;
  /** Whether it waits for input from the terminal; null if the system does not tell. */
  readonly waits: boolean | null;
  /** Whether the terminal edits lines (ICANON), and whether it shows what is typed (ECHO); null if unknown. */
  readonly edits: boolean | null;
  readonly echoes: boolean | null;
}

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
    return isYoung && isAtPrompt === undefined ? 'later' : busy(`In the foreground is ${look.program ?? 'another program'}.`);
  if (isAtPrompt === false || look?.waits === false) return 'later';
  if (isLineOpen) return busy('Somebody has begun a line at its prompt.');
  if (isAtPrompt === true) return 'marked';
  // A system that does not tell who waits cannot tell an unmarked prompt from a busy shell.
  return look?.waits === true && quietMs >= NO_MARKS_AFTER_MS ? 'unmarked' : 'later';
}

export function busy(why: string): Refusal {
  return new Refusal('shell_busy', `The shell of this session does not wait for a command. ${why}`);
}

/**
 * Whether a command that runs waits for input. A marked shell that waits in the foreground may have ended the command,
 * and its marks are still on their way; but then it edits the line itself, and the terminal does not.
 */
export function needsInput(look: ForegroundLook, run: { readonly hasBegun: boolean; readonly isMarked: boolean }): boolean {
  if (look.waits !== true) return false;
  if (!look.isOwn) return true;
  return !run.hasBegun || !run.isMarked || look.edits === true;
}
