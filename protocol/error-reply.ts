/** The body of every HTTP answer that is an error, for the relay that writes it and for all programs that read it. */
import * as v from 'valibot';

export const errorReplySchema = v.object({ error: v.object({ code: v.string(), message: v.string() }) });

export type ErrorReply = v.InferOutput<typeof errorReplySchema>;

const sentenceSchema = v.object({ error: v.object({ message: v.string() }) });

/** The sentence of an error; undefined when the body is none of a relay. It is text from another machine. */
export function errorSentence(body: unknown): string | undefined {
  const result = v.safeParse(sentenceSchema, body);
  return result.success ? result.output.error.message : undefined;
}
