/** Renews a login: requests a challenge, signs it and gets a new cookie. */
import * as v from 'valibot';
import { renewalCredential } from '../../../protocol/page-login.ts';
import { renewalSchema } from './login-answer.ts';
import { prove } from './page-key.ts';
import type { Renewed, StoredLogin } from './page-login.ts';

/** A connection attempt waits for this, and is itself given up after ten seconds. */
const ANSWER_WITHIN_MS = 5_000;

/**
 * A challenge is valid for one minute. If the machine falls asleep between the two requests, the second try succeeds.
 */
const TRIES = 2;

const challengeSchema = v.object({ challenge: v.string() });

/** `login`: the URL of the login endpoint. Never throws. */
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
