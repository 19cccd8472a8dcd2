/**
 * The claims of a token. The relay verifies tokens; the command line and a platform's own login create them.
 */
import * as v from 'valibot';
import { SUB_MAX_CHARS } from './limits.ts';
import { roleSchema } from './roles.ts';

/** A workspace's name is part of URLs and of cookie names. */
export const WORKSPACE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Where a workspace's object can be placed: the names of Cloudflare's regions for Durable Objects. */
export const REGIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const;
type Region = (typeof REGIONS)[number];

export const isRegion = (text: string): text is Region => (REGIONS as readonly string[]).includes(text);

/** Seconds since 1970, within the range of a `Date`. */
const seconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e12));

export const tokenIdSchema = v.pipe(v.string(), v.minLength(8), v.maxLength(64));

export const claimsSchema = v.object({
  /** The only workspace this token is for. */
  ws: v.pipe(v.string(), v.regex(WORKSPACE_NAME)),
  role: roleSchema,
  exp: seconds,
  /** The token's id, by which it can be revoked. */
  jti: tokenIdSchema,
  /** When the token was issued. A token without it counts as issued before any revocation. */
  iat: v.optional(seconds),
  /** Where the workspace's machine is. The first caller to reach the object places it there. */
  region: v.optional(v.string()),
  /** For agents: the agent's key may replace the pinned one. [AK6] */
  repin: v.optional(v.boolean()),
  /** For agents: the only key with which the token is accepted, as the agent offers it. [AK9] */
  key: v.optional(v.pipe(v.string(), v.maxLength(64))),
  /** Who the token was issued for: the name that other people see. */
  sub: v.optional(v.pipe(v.string(), v.maxLength(SUB_MAX_CHARS))),
});
export type Claims = v.InferOutput<typeof claimsSchema>;

/** Null when `value` does not hold the claims of a Holdfast token. */
export function readClaims(value: unknown): Claims | null {
  const result = v.safeParse(claimsSchema, value);
  return result.success ? result.output : null;
}
