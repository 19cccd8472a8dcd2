/**
 * The `Idempotency-Key` of a request: a name under which the agent does something once. It reaches the agent as a digest,
 * so the Worker stores nothing, and a repeated request may come through another Worker.
 */
import type { Context } from 'hono';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../../protocol/limits.ts';
import { ApiError } from '../../http/api-error.ts';
import type { App } from '../../http/http.ts';
import { ownerKey, ownerOf } from '../../peers/owner.ts';
import { base64url } from '../answer/base64.ts';

export function idempotencyKey(c: Context<App>): string | undefined {
  const key = c.req.header('Idempotency-Key');
  if (key === undefined || (key !== '' && key.length <= IDEMPOTENCY_KEY_MAX_CHARS)) return key;
  throw new ApiError(
    400,
    'bad_request',
    `An Idempotency-Key must have 1 to ${IDEMPOTENCY_KEY_MAX_CHARS} characters.`,
  );
}

/** SHA-256, as an id. */
export async function digestOf(what: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof what === 'string' ? new TextEncoder().encode(what) : what;
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/**
 * The assistant that a caller is: its token, whatever connection a request has. So what it types by a later request
 * answers what a command of an earlier one asks.
 */
export function holderOf(c: Context<App>): Promise<string> {
  const { workspace, caller } = c.var.principal;
  return digestOf(`holder\n${workspace}\n${ownerKey(ownerOf(caller))}`);
}
