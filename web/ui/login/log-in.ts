/**
 * Exchanges the token or ticket of a link for the page cookie, and for a renewal credential bound to the page's own
 * key.
 */
import * as v from 'valibot';
import { errorSentence } from '../../../protocol/error-reply.ts';
import { SENTENCE_MAX_CHARS } from '../../../protocol/limits.ts';
import { printable } from '../../../protocol/printable.ts';
import { renewalSchema } from './login-answer.ts';
import { loginStore } from './login-store.ts';
import { makePageKey, publicPart } from './page-key.ts';

export type LoginOutcome =
  | { readonly name: 'in' }
  /** The credential is expired, forged, used, revoked or for another workspace; only another link helps. */
  | { readonly name: 'refused'; readonly sentence: string }
  /** Any other failure; trying again may help. */
  | { readonly name: 'failed'; readonly sentence: string };

export async function logIn(workspace: string, credential: string): Promise<LoginOutcome> {
  const keys = await makePageKey();
  let answer: Response;
  try {
    answer = await fetch(`/api/workspaces/${workspace}/login`, {
      method: 'POST',
      headers: { Authorization: credential },
      body: JSON.stringify(keys === null ? {} : { key: await publicPart(keys) }),
    });
  } catch {
    return { name: 'failed', sentence: 'The relay cannot be reached.' };
  }
  if (answer.ok) {
    await keep(workspace, keys, await answer.json().catch(() => null));
    return { name: 'in' };
  }
  if (answer.status === 401 || answer.status === 403) {
    return { name: 'refused', sentence: firstOf(await sentenceOf(answer)) };
  }
  return { name: 'failed', sentence: await sentenceOf(answer) };
}

/** A login that cannot be renewed still replaces one that could, because it may belong to another person. */
async function keep(workspace: string, keys: CryptoKeyPair | null, body: unknown): Promise<void> {
  const answer = v.safeParse(renewalSchema, body);
  const store = loginStore(workspace);
  if (keys === null || !answer.success) return store.remove();
  await store.write({ keys, ...answer.output, renewedAt: Date.now() });
}

async function sentenceOf(answer: Response): Promise<string> {
  const sentence = errorSentence(await answer.json().catch(() => null));
  return sentence === undefined
    ? `The relay answered with status ${answer.status}.`
    : printable(sentence, SENTENCE_MAX_CHARS);
}

/** Keeps only what is wrong. The relay adds how a program logs in, which does not help a user with a link. */
function firstOf(sentences: string): string {
  return sentences.split(/(?<=\.) /)[0] ?? sentences;
}
