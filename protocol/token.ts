/**
 * The claims of a token. The relay verifies tokens; the command line and a platform's own login create them.
 */
import * as v from 'valibot';
import { SUB_MAX_CHARS } from './limits.ts';
import { roleSchema } from './roles.ts';

/** A workspace's name is part of URLs and of cookie names. */
export const WORKSPACE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** An id as the agent gives it to a session. */
export const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Where a workspace's object can be placed: the names of Cloudflare's regions for Durable Objects. */
export const REGIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const;
type Region = (typeof REGIONS)[number];

export const isRegion = (text: string): text is Region => (REGIONS as readonly string[]).includes(text);

/** Seconds since 1970, within the range of a `Date`. */
const seconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e12));

export const tokenIdSchema = v.pipe(v.string(), v.minLength(8), v.maxLength(64));

/**
 * The ids of share links begin with this. A credential with such an id is valid only while its workspace knows the link,
 * through whatever it was traded. [SL3]
 */
const LINK_ID_PREFIX = 'link:';

export const linkIdOf = (random: string): string => LINK_ID_PREFIX + random;
export const isLinkId = (tokenId: string): boolean => tokenId.startsWith(LINK_ID_PREFIX);

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
  /** For people: the only session that its holder sees. [SL5] */
  session: v.optional(v.pipe(v.string(), v.regex(SESSION_ID))),
  /** Who the token was issued for: the name that other people see. */
  sub: v.optional(v.pipe(v.string(), v.maxLength(SUB_MAX_CHARS))),
});
export type Claims = v.InferOutput<typeof claimsSchema>;

/**
 * Whether its holder is a guest: came by a share link, or sees one session only. Guests use only the routes that say so.
 * [SL2]
 */
export function isGuest({ jti, session }: Pick<Claims, 'jti' | 'session'>): boolean {
  return session !== undefined || isLinkId(jti);
}

/** Null when `value` does not hold the claims of a Holdfast token. */
export function readClaims(value: unknown): Claims | null {
  const result = v.safeParse(claimsSchema, value);
  return result.success ? result.output : null;
}
