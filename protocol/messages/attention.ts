/** Why a session wants a person's attention, and since when. */
import * as v from 'valibot';
import { ATTENTION_TEXT_MAX_CHARS } from '../limits.ts';
import { count, cut, time } from './message-parts.ts';

export const attentionSchema = v.object({
  /** `done`: something ended well. `failed`: something ended badly. `asks`: a program wants an answer. */
  state: v.picklist(['done', 'failed', 'asks']),
  /** What the program said, or what happened; may be empty. */
  text: cut(ATTENTION_TEXT_MAX_CHARS),
  at: time,
  /** Where in the output it was. */
  offset: count,
  /** Set if no program said so: it is concluded from what the system tells of the program. */
  guessed: v.optional(v.literal(true)),
});
/** Cleared when a person looks at the session. */
export type Attention = v.InferOutput<typeof attentionSchema>;
