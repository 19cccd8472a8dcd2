/** A command that somebody ran in a session, as the marks of its shell tell (OSC 133 and 633). */
import * as v from 'valibot';
import { COMMAND_LINE_MAX_CHARS, COMMANDS_KEPT } from '../limits.ts';
import { count, time } from './message-parts.ts';

export const sessionCommandSchema = v.object({
  /** Counts up; never repeats in a session. */
  number: count,
  /** Null if the shell did not tell it, or if it is too long. */
  commandLine: v.nullable(v.pipe(v.string(), v.maxLength(COMMAND_LINE_MAX_CHARS))),
  startedAt: time,
  /** Null while it runs, or if its end is unknown because the agent was restarted. */
  durationMs: v.nullable(count),
  /** Null while it runs, and if the shell did not tell it. */
  exitCode: v.nullable(v.pipe(v.number(), v.safeInteger())),
  /** Its output is in [outputFrom, outputTo). Null if it was printed before the agent was restarted: it is gone. */
  outputFrom: v.nullable(count),
  /** Null while it runs. */
  outputTo: v.nullable(count),
  /** Whether the marks are those of our own script. Anything printed could have made the others. */
  verified: v.boolean(),
});
export type SessionCommand = v.InferOutput<typeof sessionCommandSchema>;

export const sessionCommands = v.pipe(v.array(sessionCommandSchema), v.maxLength(COMMANDS_KEPT));
