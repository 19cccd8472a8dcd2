/**
 * What a token says. The relay checks signatures, the command line makes them, a platform's own login may
 * make them too; all three mean this by the claims.
 */
import * as v from 'valibot';
import { roleSchema } from './messages.ts';

/** A workspace's name is part of URLs and of cookie names. */
export const WORKSPACE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const claimsSchema = v.object({
  /** The one workspace this token is for. */
  ws: v.pipe(v.string(), v.regex(WORKSPACE_NAME)),
  role: roleSchema,
  /** Seconds since 1970. */
  exp: v.pipe(v.number(), v.integer()),
  /** Names the token so that it can be revoked. */
  jti: v.pipe(v.string(), v.minLength(8), v.maxLength(64)),
});
export type Claims = v.InferOutput<typeof claimsSchema>;

/** Null when `value` is not the claims of a token of ours. */
export function readClaims(value: unknown): Claims | null {
  const result = v.safeParse(claimsSchema, value);
  return result.success ? result.output : null;
}
