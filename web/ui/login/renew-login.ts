/** Renews a login: asks for a challenge, signs it, and gets another cookie. */
import * as v from 'valibot';
import { renewalCredential } from '../../../protocol/page-login.ts';
import { renewalSchema } from './login-answer.ts';
import { prove } from './page-key.ts';
import type { Renewed, StoredLogin } from './page-login.ts';

/** Whoever dials waits for it; a connection attempt is given up after ten seconds as well. */
const ANSWER_WITHIN_MS = 5_000;

/** A challenge counts for a minute. The machine may fall asleep between its two requests; then the second try gets through. */
const TRIES = 2;

const challengeSchema = v.object({ challenge: v.string() });

/** `login`: the address that one logs in at. Never throws. */
export async function renewLogin(login: URL, stored: StoredLogin): Promise<Renewed> {
  try {
    for (let tried = 0; tried < TRIES; tried++) {
      const answer = await tryOnce(login, stored);
      if (answer.ok) return { name: 'renewed', ...v.parse(renewalSchema, await answer.json()) };
      if (answer.status !== 401 && answer.status !== 403) return { name: 'failed' };
    }
    return { name: 'refused' };
  } catch {
    return { name: 'failed' };
  }
}

async function tryOnce(login: URL, { keys, renewal }: StoredLogin): Promise<Response> {
  const asked = await ask(new URL(`${login.pathname}/challenge`, login), {});
  if (!asked.ok) throw new Error(`the relay answered ${asked.status}`);
  const { challenge } = v.parse(challengeSchema, await asked.json());
  const proof = await prove(keys, { renewal, challenge });
  return ask(login, { method: 'POST', headers: { Authorization: `Renewal ${renewalCredential(proof)}` } });
}

function ask(address: URL, init: RequestInit): Promise<Response> {
  return fetch(address, { ...init, cache: 'no-store', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
}
