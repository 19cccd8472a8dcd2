/**
 * The owner of a relay: who may invite machines and make links for people. The relay has the public half of the owner's
 * key (RELAY_OWNER_KEY); the private half stays where the relay was set up. Rule GT14.
 *
 * A program proves the key with a JWT for one request; a page has a cookie, which a link of single use bought.
 */
import * as v from 'valibot';
import { decodeBase64url } from '../../protocol/base64url.ts';
import { CLOCK_SKEW_MAX_S, OWNER_PROOF_LIFETIME_S, PAGE_COOKIE_LIFETIME_S } from '../../protocol/limits.ts';
import { OWNER_PROOF_TYPE } from '../../protocol/owner.ts';
import { isLoopback } from './cookie.ts';
import {
  headerOf,
  importEd25519Jwk,
  type JwtVerdict,
  type Secrets,
  signBySecret,
  verifyByPublicKey,
  verifyBySecret,
} from './jwt.ts';

const KEY_BYTES = 32;

/** The owner's public key, 32 bytes in base64url; null if the relay has none or one that cannot be used. */
export function readOwnerKey(setting: string | undefined): string | null {
  const text = (setting ?? '').trim();
  return decodeBase64url(text, KEY_BYTES) === null ? null : text;
}

export const NO_OWNER =
  'This relay has no owner. `holdfast up` and `holdfast deploy` make one; `holdfast relay` too, from this version on.';

const proofSchema = v.object({ exp: v.number(), iat: v.number() });

/** `audience` is our own origin: a proof for another relay of the same owner is worth nothing here. */
export async function verifyOwnerProof(
  text: string,
  owner: string,
  audience: string,
  now: number,
): Promise<JwtVerdict<{ readonly exp: number }>> {
  const header = headerOf(text);
  if (header?.alg !== 'EdDSA' || header.typ !== OWNER_PROOF_TYPE) return NOT_THE_OWNER;
  const key = await importEd25519Jwk({ kty: 'OKP', crv: 'Ed25519', x: owner });
  const verdict = await verifyByPublicKey(text, [{ kid: undefined, key }], { now, audience: [audience] });
  if (!verdict.ok) return verdict.reason === 'expired' ? WRONG_CLOCK : whyNot(verdict.why, audience);
  const claims = v.safeParse(proofSchema, verdict.claims);
  if (!claims.success || claims.output.exp - claims.output.iat > OWNER_PROOF_LIFETIME_S) return NOT_THE_OWNER;
  if (claims.output.iat * 1000 > now + CLOCK_SKEW_MAX_S * 1000) return WRONG_CLOCK;
  return { ok: true, claims: { exp: claims.output.exp } };
}

const NOT_THE_OWNER = {
  ok: false,
  reason: 'invalid',
  why: "This is not the key of the relay's owner. Run the command where `holdfast up` or `holdfast deploy` ran.",
} as const;

const WRONG_CLOCK = {
  ok: false,
  reason: 'expired',
  why: "This machine's clock and the relay's differ by minutes; set the clock (timedatectl set-ntp true) and try again.",
} as const;

function whyNot(why: string, audience: string): JwtVerdict<never> {
  return why.includes('audience')
    ? {
        ok: false,
        reason: 'invalid',
        why: `The proof is for another address than ${audience}; give that as --relay.`,
      }
    : NOT_THE_OWNER;
}

// ── The owner's cookie ─────────────────────────────────────────────────────────────────────────────

const COOKIE_TYPE = 'holdfast-owner';
const cookieSchema = v.object({ owner: v.string(), exp: v.number() });

/** A workspace cannot have this name, because of the dot. Null where cookies must not be used. */
export function ownerCookieName(url: URL): string | null {
  if (url.protocol === 'https:') return '__Host-holdfast.owner';
  return isLoopback(url.hostname) ? `holdfast-${url.port || '80'}.owner` : null;
}

/** `until`: when the login ends, in seconds since 1970. No cookie is valid for longer. */
export async function signOwnerCookie(
  owner: string,
  secrets: Secrets,
  now: number,
  until = Number.POSITIVE_INFINITY,
): Promise<{ readonly cookie: string; readonly lifetimeSeconds: number }> {
  const nowSeconds = Math.floor(now / 1000);
  const exp = Math.min(nowSeconds + PAGE_COOKIE_LIFETIME_S, until);
  return {
    cookie: await signBySecret({ owner, exp }, COOKIE_TYPE, secrets),
    lifetimeSeconds: Math.max(0, exp - nowSeconds),
  };
}

/** A cookie of the previous owner is refused once the key is replaced. */
export async function verifyOwnerCookie(
  text: string,
  owner: string,
  secrets: Secrets,
  now: number,
): Promise<JwtVerdict<{ readonly exp: number }>> {
  const header = headerOf(text);
  if (header?.alg !== 'HS256' || header.typ !== COOKIE_TYPE) return NOT_LOGGED_IN;
  const verdict = await verifyBySecret(text, secrets, { now });
  const claims = verdict.ok ? v.safeParse(cookieSchema, verdict.claims) : null;
  if (!claims?.success || claims.output.owner !== owner) return NOT_LOGGED_IN;
  return { ok: true, claims: { exp: claims.output.exp } };
}

const NOT_LOGGED_IN = {
  ok: false,
  reason: 'expired',
  why: "The owner's login has ended. Make another link with `holdfast link --owner`.",
} as const;
