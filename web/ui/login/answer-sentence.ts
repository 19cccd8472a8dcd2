/** What the relay says in an answer that is an error. It is text from another machine. */
import { errorSentence } from '../../../protocol/error-reply.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';

export const UNREACHABLE = 'The relay cannot be reached.';

export async function answerSentence(answer: Response): Promise<string> {
  const sentence = errorSentence(await answer.json().catch(() => null));
  return sentence === undefined
    ? `The relay answered with status ${answer.status}.`
    : printable(sentence, SENTENCE_MAX_CHARS);
}

/** Keeps only what is wrong. The relay adds how a program logs in, which does not help a user with a link. */
export function firstSentence(sentences: string): string {
  return sentences.split(/(?<=\.) /)[0] ?? sentences;
}
