/** What is answered about a run. */
import { PATH_MAX_CHARS } from '../../protocol/limits.ts';
import type { RunState } from '../../protocol/messages/run-state.ts';
import type { AssistedSession } from './assisted-session.ts';
import { runText } from './run-output.ts';
import type { KnownRun } from './session-runs.ts';

/**
 * The answer has to fit a message, and in JSON a control character in the name of a directory takes six bytes. A path of
 * more than this is not told.
 */
const CWD_MAX_JSON_BYTES = 8 * 1024;

interface Noticed {
  /** Who took the keyboard while the call waited; null if nobody did. */
  readonly takenBy: string | null;
  /** The program that waits for input. */
  readonly waiting?: string;
}

export async function runAnswer(
  run: KnownRun,
  session: AssistedSession,
  { takenBy, waiting }: Noticed,
): Promise<RunState> {
  const { outputFrom, outputTo, endsAt, exitCode, number } = run.facts.place;
  const to = outputTo ?? session.end;
  const by = run.facts.takenBy ?? takenBy;
  const state = stateOf(run, by, waiting);
  const durationMs = run.runMs(Date.now());
  const text =
    outputFrom === null
      ? { output: '', omittedBytes: 0 }
      : await runText({ from: outputFrom, to, head: run.head }, session);
  const program = state === 'done' ? null : (waiting ?? session.look()?.program);
  return {
    state,
    exitCode,
    durationMs,
    ...text,
    offset: endsAt ?? to,
    cwd: shownPath(session.cwd()),
    ...(program ? { program } : {}),
    ...(state === 'needs_input' ? { guessed: true } : {}),
    ...(state === 'taken_over' && by !== null ? { by } : {}),
    ...(number === null ? {} : { command: number }),
  };
}

function stateOf(run: KnownRun, takenBy: string | null, waiting: string | undefined): RunState['state'] {
  if (run.facts.place.outputTo !== null) return 'done';
  if (takenBy !== null) return 'taken_over';
  return waiting === undefined ? 'running' : 'needs_input';
}

function shownPath(path: string | null): string | null {
  if (path === null || path === '' || path.length > PATH_MAX_CHARS) return null;
  return Buffer.byteLength(JSON.stringify(path)) > CWD_MAX_JSON_BYTES ? null : path;
}
