/** Proves to the relay that this page holds the key of its login: requests a challenge and signs it. */
import * as v from 'valibot';
import { renewalCredential } from '../../../protocol/page-login.ts';
import { prove } from './page-key.ts';
import type { StoredLogin } from './page-login.ts';

/** A connection attempt waits for a renewal, and is itself given up after ten seconds. */
const ANSWER_WITHIN_MS = 5_000;

const challengeSchema = v.object({ challenge: v.string() });

/** `Owner-Renewal`: of the login of the relay's owner, at its own address. */
export type RenewalScheme = 'Renewal' | 'Owner-Renewal';

/** The value of `Authorization`, valid for a minute. `login`: the URL of the login endpoint. Throws without an answer. */
export async function loginProof(
  login: URL,
  { keys, renewal }: StoredLogin,
  scheme: RenewalScheme = 'Renewal',
): Promise<string> {
  const asked = await askInTime(new URL(`${login.pathname}/challenge`, login), {});
  if (!asked.ok) throw new Error(`the relay answered ${asked.status}`);
  const { challenge } = v.parse(challengeSchema, await asked.json());
  return `${scheme} ${renewalCredential(await prove(keys, { renewal, challenge }))}`;
}

export function askInTime(address: URL, init: RequestInit): Promise<Response> {
  return fetch(address, { ...init, cache: 'no-store', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
}
