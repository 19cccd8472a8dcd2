/** What became of a command that was run in a session's shell. */
import * as v from 'valibot';
import { RUN_OUTPUT_MAX_CHARS } from '../limits.ts';
import { actor } from './keyboard-holder.ts';
import { count, name, path } from './message-parts.ts';

export const runStateSchema = v.object({
  /**
   * `done`: it has ended. `running`: the time to wait is over. `needs_input`: a program waits for input. `taken_over`:
   * somebody took the keyboard before the command was typed, or while it ran.
   */
  state: v.picklist(['done', 'running', 'needs_input', 'taken_over']),
  /** Null unless done, and when the shell did not tell. */
  exitCode: v.nullable(v.pipe(v.number(), v.safeInteger())),
  durationMs: count,
  /** The beginning and the end of what it printed, as plain text. */
  output: v.pipe(v.string(), v.maxLength(RUN_OUTPUT_MAX_CHARS)),
  /** Bytes between both that are left out. */
  omittedBytes: count,
  /** The end of that output in the session's stream, with the mark that ends it; waiting goes on from here. */
  offset: count,
  /** The shell's directory; null if it is unknown. */
  cwd: v.nullable(path),
  /** The program in the foreground; absent once it is done, or if unknown. */
  program: v.optional(name),
  /** With `needs_input`: no program said so, it is concluded from what the system tells. */
  guessed: v.optional(v.literal(true)),
  /** With `taken_over`: who did it. */
  by: v.optional(actor),
  /** The number of the command in the session's list; absent if it has none. */
  command: v.optional(count),
});
export type RunState = v.InferOutput<typeof runStateSchema>;
