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
  /** The run that goes on; null if none does. */
  readonly run: { readonly hasBegun: boolean; readonly isInterrupted: boolean } | null;
  /** For how long nothing was printed. */
  readonly quietMs: number;
  /** For how long nobody has typed. */
  readonly typedMs: number;
  /** Since when, and how often in a row, it was seen waiting for input without a word of it. */
  readonly waits: { readonly ms: number; readonly looks: number };
  /** Whether it wants pastes to be marked. */
  readonly pastes: boolean;
}

/** What was typed shows by then: another prompt, or a command that runs. */
export const PROMPT_SETTLED_MS = 150;

/** A shell marks its prompt, and then says that it wants pastes to be marked; by then it has, or will not. */
const PASTES_AFTER_MS = 100;

/**
 * Marks come with the prompt: a shell that waits for so long without any makes none. Between two looks its output is
 * read, so that a slow agent does not take it for a silent shell.
 */
const NO_MARKS_AFTER_MS = 250;
const NO_MARKS_AFTER_LOOKS = 6;

/** `marked` and `unmarked`: it waits for a command. `later`: perhaps soon. Otherwise why it does not. */
export function shellReady(state: ShellState): 'marked' | 'unmarked' | 'later' | Refusal {
  const { look, isAtPrompt, running, isLineOpen, isYoung, run } = state;
  if (running !== null) return busy(`It runs: ${running}`);
  if (look !== null && !(look.isOwn && look.isShell))
    return isYoung && isAtPrompt === undefined ? 'later' : busy(`In the foreground is ${look.program}.`);
  if (run !== null && !run.isInterrupted) return runs(run, isAtPrompt);
  if (isAtPrompt === false || look?.reads === false || state.typedMs < PROMPT_SETTLED_MS) return 'later';
  if (isLineOpen) return busy('Somebody has begun a line at its prompt. Ctrl-C clears it.');
  if (isAtPrompt === true) return state.pastes || state.quietMs >= PASTES_AFTER_MS ? 'marked' : 'later';
  // A system that does not tell who waits cannot tell an unmarked prompt from a busy shell.
  const { ms, looks } = state.waits;
  const isSilent = looks >= NO_MARKS_AFTER_LOOKS && Math.min(ms, state.quietMs) >= NO_MARKS_AFTER_MS;
  return look?.reads === true && isSilent ? 'unmarked' : 'later';
}

/** A run that has just been typed may end at once; only marks tell of the end of one that has begun. */
function runs(
  { hasBegun }: { readonly hasBegun: boolean },
  isAtPrompt: boolean | undefined,
): 'later' | Refusal {
  if (!hasBegun) return 'later';
  return isAtPrompt === undefined
    ? busy('The command before has not said that it ended. If the shell waits, Ctrl-C helps.')
    : 'later';
}

export const exited = () => new Refusal('session_exited', 'The program of this session has ended.');

export function busy(why: string): Refusal {
  return new Refusal('shell_busy', `The shell of this session does not wait for a command. ${why}`);
}
