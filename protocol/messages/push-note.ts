/** What a push tells a browser about a session: made by the relay, read by the page's service worker. */
import * as v from 'valibot';
import { ATTENTION_TEXT_MAX_CHARS, PUSH_NAME_MAX_CHARS } from '../limits.ts';
import { printable } from '../printable.ts';
import { WORKSPACE_NAME } from '../token.ts';
import { attentionSchema } from './attention.ts';
import { id, time } from './message-parts.ts';

/** Text of other machines is made printable where it is shown, and here it is shown by the system. */
const shown = (maxChars: number) =>
  v.pipe(
    v.string(),
    v.transform((text) => printable(text, maxChars)),
  );

const pushNoteSchema = v.object({
  workspace: v.pipe(v.string(), v.regex(WORKSPACE_NAME)),
  session: id,
  name: shown(PUSH_NAME_MAX_CHARS),
  state: attentionSchema.entries.state,
  text: shown(ATTENTION_TEXT_MAX_CHARS),
  at: time,
});
export type PushNote = v.InferOutput<typeof pushNoteSchema>;

/** Null when `value` is not such a note. */
export function readPushNote(value: unknown): PushNote | null {
  const result = v.safeParse(pushNoteSchema, value);
  return result.success ? result.output : null;
}

/** Notifications of one session replace each other, whether the page or its service worker shows them. */
export const notificationTag = (session: string): string => `holdfast-${session}`;
