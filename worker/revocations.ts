/** Takes tokens back: one by its id, or all that were issued before a moment. Rule GT8. */
import * as v from 'valibot';
import { tokenIdSchema } from '../protocol/token.ts';
import { ask, failure, type Handler, jsonBody } from './http.ts';
import type { Revocation } from './revocation.ts';

/** A time, or seconds since 1970 as in a token's `iat`. */
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
  v.strictObject({ jti: tokenIdSchema }),
  v.strictObject({ before: momentSchema }),
]);

export const revoke: Handler = async (c) => {
  const wanted = v.safeParse(revocationSchema, await jsonBody(c));
  if (!wanted.success) {
    return failure(c, 400, 'bad_request', 'Say {"jti": <token id>} or {"before": <ISO time or seconds>}.');
  }
  return ask(
    c,
    (object, caller) => object.revoke(caller, wanted.output),
    (remembered) =>
      remembered
        ? c.body(null, 204)
        : failure(c, 409, 'revocation_limit', 'The list is full: revoke by {"before"}, which thins it out.'),
  );
};
