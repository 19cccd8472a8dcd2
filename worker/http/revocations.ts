/**
 * Revokes tokens, one by its id or all that were issued before a given time. Also lists and undoes revocations. Rule
 * GT8.
 */
import * as v from 'valibot';
import { CLOCK_SKEW_MAX_S, REVOCATIONS_MAX } from '../../protocol/limits.ts';
import { tokenIdSchema } from '../../protocol/token.ts';
import type { Revocation } from '../registry/revocation.ts';
import type { RevocationAnswers } from '../workspace/revoking.ts';
import { callWorkspace, failure, type Handler, jsonBody } from './http.ts';

/** A timestamp, or seconds since 1970 as in a token's `iat`. */
const momentSchema = v.union([
  v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.transform((text) => Date.parse(text)),
  ),
  v.pipe(
    v.number(),
    v.minValue(0),
    v.maxValue(8.64e12),
    v.transform((seconds) => seconds * 1000),
  ),
]);

const revocationSchema: v.GenericSchema<unknown, Revocation> = v.union([
  v.pipe(
    v.strictObject({ jti: tokenIdSchema, exp: v.optional(momentSchema) }),
    v.transform(({ jti, exp }) => ({ jti, expiresAt: exp })),
  ),
  v.strictObject({ before: momentSchema }),
]);

export const revoke: Handler = async (c) => {
  const wanted = v.safeParse(revocationSchema, await jsonBody(c));
  if (!wanted.success) {
    return failure(
      c,
      400,
      'bad_request',
      'Send {"jti": <token id>, "exp"?: <its exp>} or {"before": <ISO time or seconds>}.',
    );
  }
  const outcome = await callWorkspace(c, (object, caller) =>
    object.revocations(caller, { kind: 'revoke', revocation: wanted.output }),
  );
  if (outcome === 'revoked') return c.body(null, 204);
  return outcome === 'list_full'
    ? failure(c, 409, 'revocation_limit', LIST_FULL)
    : failure(c, 400, 'bad_request', TOO_FAR);
};

const LIST_FULL = `The list has ${REVOCATIONS_MAX} tokens. Revoke by {"before"} instead, or remove tokens from it with DELETE.`;
const TOO_FAR = `"before" may be at most ${CLOCK_SKEW_MAX_S} s ahead of the relay's clock: a later time would also revoke tokens that do not exist yet.`;

const listQuery = v.object({ after: v.optional(v.pipe(v.string(), v.maxLength(64)), '') });

export const listRevocations: Handler = async (c) => {
  const query = v.safeParse(listQuery, c.req.query());
  if (!query.success)
    return failure(c, 400, 'bad_request', '`after` must be the `next` of the previous page.');
  const { after } = query.output;
  const list = await callWorkspace(c, (object, caller) =>
    object.revocations(caller, { kind: 'list', after }),
  );
  // The object answers each kind of request in its own way; its method has one type for all.
  return c.json(list as RevocationAnswers['list']);
};

/** `before` names the revocation by time. It is too short to be a token id. */
export const undoRevocation: Handler = async (c) => {
  const named = c.req.param('jti') ?? '';
  const what = named === 'before' ? named : { jti: named };
  const wasThere = await callWorkspace(c, (object, caller) =>
    object.revocations(caller, { kind: 'undo', what }),
  );
  return wasThere ? c.body(null, 204) : failure(c, 404, 'not_found', 'There is no such revocation.');
};
