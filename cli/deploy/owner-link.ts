/** Asks a relay that was just deployed for a link with which its owner logs in. */
import type { Clock } from '../../protocol/clock.ts';
import { boundedJson } from '../client/api-request.ts';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import type { RelayOwner } from '../owner/owner-key.ts';

/** The first address of an account needs a certificate, which can take a minute or two. */
const ANSWER_WITHIN_MS = 3 * 60_000;
const PAUSE_MS = 2_000;
const REQUEST_WITHIN_MS = 10_000;
const ANSWER_MAX_BYTES = 16 * 1024;
/** What can stand in a link as it is. */
const CODE = /^[\w.~-]{1,512}$/;

export interface LinkRequest {
  readonly relay: URL;
  readonly owner: RelayOwner;
  /** The relay was just given the key, and may still answer as it was before. */
  readonly isNewKey: boolean;
}

export interface Outside {
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  readonly say: (line: string) => void;
}

type Answer =
  | { readonly name: 'link'; readonly link: string }
  | { readonly name: 'refused' }
  | { readonly name: 'not yet'; readonly why: string };

/** Resolves with the link. A new Worker is not reached everywhere at once, so it is asked until it answers. */
export async function ownerLink(request: LinkRequest, outside: Outside): Promise<string> {
  const { clock, say } = outside;
  const { origin } = request.relay;
  const end = clock.now() + ANSWER_WITHIN_MS;
  for (let isFirst = true; ; isFirst = false) {
    const answer = await ask(request, outside);
    if (answer.name === 'link') return answer.link;
    if (answer.name === 'refused' && !request.isNewKey) throw new WrongOwner();
    if (isFirst) say(`holdfast: waiting until ${origin} answers; a new address can take some minutes`);
    if (clock.now() >= end)
      throw new CommandError(
        EXIT.unavailable,
        `the relay is deployed, but ${origin} gives no link (${answer.name === 'refused' ? 'it answered 401' : answer.why}); the same command asks again`,
      );
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
  }
}

/** The relay has the public half of another key. */
export class WrongOwner extends Error {}

async function ask({ relay, owner }: LinkRequest, { fetch }: Outside): Promise<Answer> {
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(new URL('/api/owner/links', relay), {
      method: 'POST',
      headers: { Authorization: `Owner ${owner.prove(relay.origin)}` },
      signal: AbortSignal.timeout(REQUEST_WITHIN_MS),
      // The proof is for this relay only.
      redirect: 'error',
    });
    body = await boundedJson(response, relay, ANSWER_MAX_BYTES);
  } catch (error) {
    const { message, cause } = error as Error;
    return { name: 'not yet', why: cause instanceof Error ? cause.message : message };
  }
  if (response.status === 401) return { name: 'refused' };
  if (response.status !== 201) return { name: 'not yet', why: `it answered ${response.status}` };
  const { code } = (body ?? {}) as { code?: unknown };
  if (typeof code !== 'string' || !CODE.test(code))
    return { name: 'not yet', why: 'it answered without a code' };
  return { name: 'link', link: `${relay.origin}/#owner=${code}` };
}
