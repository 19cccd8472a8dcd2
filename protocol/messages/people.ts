/** Who watches a session, as the relay tells it. An agent cannot. [PP1] */
import * as v from 'valibot';
import { PEOPLE_MAX, PERSON_NAME_MAX_CHARS } from '../limits.ts';
import { clientRoleSchema } from '../roles.ts';
import { cut } from './message-parts.ts';

const personSchema = v.object({
  /** The name in the person's token, or the role, with a number if several have none. */
  name: cut(PERSON_NAME_MAX_CHARS),
  role: clientRoleSchema,
  /** The terminal has the size of a window of this person. */
  driving: v.optional(v.boolean()),
  /** The client that is told is this person's own. */
  you: v.optional(v.boolean()),
});
/** One person, with however many windows. */
export type Person = v.InferOutput<typeof personSchema>;

/** In the order in which they came. */
export const peopleSchema = v.pipe(v.array(personSchema), v.maxLength(PEOPLE_MAX));
