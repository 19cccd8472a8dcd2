/** Renews a login: proves that this page holds its key, and gets a new cookie. */
import * as v from 'valibot';
import { renewalSchema } from './login-answer.ts';
import { askInTime, loginProof, type RenewalScheme } from './login-proof.ts';
import type { Renewed, StoredLogin } from './page-login.ts';

/**
 * A challenge is valid for one minute. If the machine falls asleep between the two requests, the second try succeeds.
 */
const TRIES = 2;

/** `login`: the URL of the login endpoint. Never throws. */
export async function renewLogin(login: URL, stored: StoredLogin, scheme?: RenewalScheme): Promise<Renewed> {
  try {
    for (let tried = 0; tried < TRIES; tried++) {
      const headers = { Authorization: await loginProof(login, stored, scheme) };
      const answer = await askInTime(login, { method: 'POST', headers });
      if (answer.ok) return { name: 'renewed', ...v.parse(renewalSchema, await answer.json()) };
      if (answer.status !== 401 && answer.status !== 403) return { name: 'failed' };
    }
    return { name: 'refused' };
  } catch {
    return { name: 'failed' };
  }
}
