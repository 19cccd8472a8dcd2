/**
 * Exchanges the token, ticket or code of a link for the page cookie, and for a renewal credential bound to the page's
 * own key.
 */
import * as v from 'valibot';
import { isCode } from './address.ts';
import { answerSentence, firstSentence, UNREACHABLE } from './answer-sentence.ts';
import { renewalSchema } from './login-answer.ts';
import { loginStore } from './login-store.ts';
import { makePageKey, publicPart } from './page-key.ts';

export type LoginOutcome =
  | { readonly name: 'in' }
  /** The credential is expired, forged, used, revoked or for another workspace; only another link helps. */
  | { readonly name: 'refused'; readonly sentence: string }
  /** Any other failure; trying again may help. */
  | { readonly name: 'failed'; readonly sentence: string };

/** What helps whose code was used or has expired: the device that showed it can show another. */
const ANOTHER_CODE = 'Choose “New code” on the device that showed it.';

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
    return { name: 'failed', sentence: UNREACHABLE };
  }
  if (answer.ok) {
    await keepLogin(workspace, keys, await answer.json().catch(() => null));
    return { name: 'in' };
  }
  if (answer.status === 401 || answer.status === 403) {
    const sentence = firstSentence(await answerSentence(answer));
    return { name: 'refused', sentence: isCode(credential) ? `${sentence} ${ANOTHER_CODE}` : sentence };
  }
  return { name: 'failed', sentence: await answerSentence(answer) };
}

/** A login that cannot be renewed still replaces one that could, because it may belong to another person. */
export async function keepLogin(workspace: string, keys: CryptoKeyPair | null, body: unknown): Promise<void> {
  const answer = v.safeParse(renewalSchema, body);
  const store = loginStore(workspace);
  if (keys === null || !answer.success) return store.remove();
  await store.write({ keys, ...answer.output, renewedAt: Date.now() });
}
