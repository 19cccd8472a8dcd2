/** Who has the keyboard of a session, if that is an assistant or somebody who took it from one. */
import * as v from 'valibot';
import { ACTOR_MAX_CHARS } from '../limits.ts';
import { cut, time } from './message-parts.ts';

/** The name of an assistant, as it calls itself. */
export const actor = cut(ACTOR_MAX_CHARS);

export const keyboardHolderSchema = v.object({
  /** `assistant`: it types. `person`: somebody took the keyboard from it, and it waits until that is handed back. */
  kind: v.picklist(['assistant', 'person']),
  /** The assistant's name, in both cases. */
  name: actor,
  since: time,
});
export type KeyboardHolder = v.InferOutput<typeof keyboardHolderSchema>;
