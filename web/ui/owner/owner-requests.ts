/** What the owner's page asks the relay. The cookie that a link bought goes with every request. */
import { type ReadAuditPage, readAuditPage } from '../../../protocol/audit.ts';
import { OWNER_COOKIE_LINK_MAX_S } from '../../../protocol/limits.ts';
import {
  type FleetMachine,
  readCode,
  readMachine,
  readMachines,
  readToken,
} from '../../../protocol/owner-answers.ts';
import { credentialOfToken } from '../login/address.ts';
import { answerSentence, firstSentence, UNREACHABLE } from '../login/answer-sentence.ts';
import { keepLogin, type LoginOutcome, logIn } from '../login/log-in.ts';
import { askInTime } from '../login/login-proof.ts';
import { loginStore } from '../login/login-store.ts';
import { makePageKey, publicPart } from '../login/page-key.ts';
import { OWNER, OWNER_LOGIN, ownerLogin } from './owner-login.ts';

/** Entries of the audit trail that are shown at once. */
const TRAIL_PAGE_ENTRIES = 50;

export type OwnerAnswer<T> =
  | { readonly name: 'done'; readonly value: T }
  /** Nobody is logged in here, or no longer. */
  | { readonly name: 'ended' }
  | { readonly name: 'failed'; readonly sentence: string };

/** Trades the owner's link for the cookie, and for a login that this page renews. Never throws. */
export async function logInOwner(credential: string): Promise<LoginOutcome> {
  try {
    const keys = await makePageKey();
    const body = keys === null ? {} : { key: await publicPart(keys) };
    const answer = await ask('POST', OWNER_LOGIN, body, { Authorization: credential });
    if (answer.ok) {
      await keepLogin(OWNER, keys, await answer.json().catch(() => null));
      return { name: 'in' };
    }
    const sentence = await answerSentence(answer);
    return answer.status === 401
      ? { name: 'refused', sentence: firstSentence(sentence) }
      : { name: 'failed', sentence };
  } catch {
    return { name: 'failed', sentence: UNREACHABLE };
  }
}

export const listMachines = (): Promise<OwnerAnswer<readonly FleetMachine[]>> =>
  asOwner('GET', '/api/owner/machines', readMachines);

/** The value is the code with which one machine joins. */
export const inviteMachine = (): Promise<OwnerAnswer<string>> =>
  asOwner('POST', '/api/owner/invites', readCode, {});

export const removeMachine = (machine: string): Promise<OwnerAnswer<null>> =>
  asOwner('DELETE', `/api/owner/machines/${machine}`);

/** Null calls the machine by its own name again. */
export const renameMachine = (
  machine: string,
  displayName: string | null,
): Promise<OwnerAnswer<FleetMachine>> =>
  asOwner('PATCH', `/api/owner/machines/${machine}`, readMachine, { displayName });

/** One page of the audit trail, newest first. `before`: the id of the oldest entry that is known. */
export const readTrail = (machine: string, before: number | null): Promise<OwnerAnswer<ReadAuditPage>> => {
  const from = before === null ? '' : `&before=${before}`;
  return asOwner(
    'GET',
    `/api/owner/machines/${machine}/audit?limit=${TRAIL_PAGE_ENTRIES}${from}`,
    readAuditPage,
  );
};

/** Removes the key first: whatever the relay answers, this browser can no longer renew the login. */
export async function signOutOwner(): Promise<OwnerAnswer<null>> {
  await loginStore(OWNER).remove();
  return asOwner('DELETE', OWNER_LOGIN);
}

/** Logs this browser in to the machine's workspace, for as long as the owner's cookie may grant. */
export async function enterMachine(machine: string): Promise<OwnerAnswer<null>> {
  const wanted = { role: 'operator', seconds: OWNER_COOKIE_LINK_MAX_S };
  const bought = await asOwner('POST', `/api/owner/machines/${machine}/links`, readToken, wanted);
  if (bought.name !== 'done') return bought;
  const outcome = await logIn(machine, credentialOfToken(bought.value));
  return outcome.name === 'in'
    ? { name: 'done', value: null }
    : { name: 'failed', sentence: outcome.sentence };
}

/** Never throws. `read` returns null for what is no valid answer. Without it, an answer has no content. */
async function asOwner<T = null>(
  method: string,
  path: string,
  read?: (body: unknown) => T | null,
  body?: object,
): Promise<OwnerAnswer<T>> {
  try {
    const answer = await withLogin(() => ask(method, path, body));
    if (answer.status === 401) return { name: 'ended' };
    if (!answer.ok) return { name: 'failed', sentence: await answerSentence(answer) };
    if (read === undefined) return { name: 'done', value: null as T };
    const value = read(await answer.json().catch(() => null));
    return value === null ? { name: 'failed', sentence: UNREADABLE } : { name: 'done', value };
  } catch {
    return { name: 'failed', sentence: UNREACHABLE };
  }
}

/** A cookie that is about to end is renewed before it is used, and one that is refused is replaced once. */
async function withLogin(send: () => Promise<Response>): Promise<Response> {
  await ownerLogin.ready();
  const answer = await send();
  if (answer.status !== 401) {
    ownerLogin.accepted();
    return answer;
  }
  return (await ownerLogin.replace()) ? send() : answer;
}

const UNREADABLE = 'The relay answered with something that this page cannot read. Reload the page.';

const ask = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  askInTime(new URL(path, location.href), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
