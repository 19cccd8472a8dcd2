/**
 * What a token says. The relay checks signatures, the command line makes them, a platform's own login may
 * make them too; all three mean this by the claims.
 */
import * as v from 'valibot';
import { SUB_MAX_CHARS } from './limits.ts';
import { roleSchema } from './messages.ts';

/** A workspace's name is part of URLs and of cookie names. */
export const WORKSPACE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Seconds since 1970, within what a `Date` can hold. */
const seconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e12));

export const tokenIdSchema = v.pipe(v.string(), v.minLength(8), v.maxLength(64));

export const claimsSchema = v.object({
  /** The one workspace this token is for. */
  ws: v.pipe(v.string(), v.regex(WORKSPACE_NAME)),
  role: roleSchema,
  exp: seconds,
  /** Names the token so that it can be revoked. */
  jti: tokenIdSchema,
  /** When it was made. A token that does not say counts as made before any revocation. */
  iat: v.optional(seconds),
  /** Where the workspace's machine is: the object is placed there by whoever comes first. */
  region: v.optional(v.string()),
  /** For agents: its bearer's key may take the place of the one that the workspace knows. [AK6] */
  repin: v.optional(v.boolean()),
  /** Who it was made for: the name that other people see. */
  sub: v.optional(v.pipe(v.string(), v.maxLength(SUB_MAX_CHARS))),
});
export type Claims = v.InferOutput<typeof claimsSchema>;

/** Null when `value` is not the claims of a token of ours. */
export function readClaims(value: unknown): Claims | null {
  const result = v.safeParse(claimsSchema, value);
  return result.success ? result.output : null;
}
