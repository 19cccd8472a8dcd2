/** What happened in a session since some moment, for somebody who was away. */
import * as v from 'valibot';
import { DIGEST_COMMANDS_MAX, SESSIONS_MAX } from '../limits.ts';
import { attentionSchema } from './attention.ts';
import { sessionCommandSchema } from './command-info.ts';
import { count, id, name } from './message-parts.ts';

export const sessionDigestSchema = v.object({
  session: id,
  name,
  /** Commands that have ended since then, and how many of them failed. */
  finished: count,
  failed: count,
  /** The commands to look at, oldest first: those that failed and those that took long. */
  commands: v.pipe(v.array(sessionCommandSchema), v.maxLength(DIGEST_COMMANDS_MAX)),
  /** Bytes printed since then; as far as is known, if the agent was started later. */
  printedBytes: count,
  attention: v.optional(attentionSchema),
});
export type SessionDigest = v.InferOutput<typeof sessionDigestSchema>;

export const sessionDigests = v.pipe(v.array(sessionDigestSchema), v.maxLength(SESSIONS_MAX));
