/**
 * Credentials that the relay issues and signs with its secret: tickets, the page cookie, renewals of a login, and the
 * challenge that a renewal answers. Each has its own type and is not accepted as another kind, least of all as a token.
 * Rules GT7 and GT11.
 */
import * as v from 'valibot';
import { CHALLENGE_LIFETIME_S, PAGE_COOKIE_LIFETIME_S } from '../../protocol/limits.ts';
import { type PageKey, pageKeySchema, provenText, readRenewalCredential } from '../../protocol/page-login.ts';
import { clientRoleSchema } from '../../protocol/roles.ts';
import { type Claims, claimsSchema, isGuest } from '../../protocol/token.ts';
import { headerOf, type JwtVerdict, type Secrets, signBySecret, verifyBySecret } from './jwt.ts';

interface Kind<T> {
  /** The `typ` in the JWT header. */
  readonly type: string;
  /** Its name in messages for people. */
  readonly noun: string;
  readonly schema: v.GenericSchema<unknown, T>;
}

// ── Tickets ────────────────────────────────────────────────────────────────────────────────────────

/** Long enough for a page to connect, too short to be worth stealing from a log. */
export const TICKET_LIFETIME_S = 30;

const ticketSchema = v.object({
  /** The claims of the token that bought the ticket. */
  token: claimsSchema,
  role: clientRoleSchema,
  /** The only origin that may use it. */
  origin: v.string(),
  exp: v.number(),
  jti: v.string(),
});
type TicketClaims = v.InferOutput<typeof ticketSchema>;

const TICKET: Kind<TicketClaims> = { type: 'holdfast-ticket', noun: 'ticket', schema: ticketSchema };

export const signTicket = (claims: TicketClaims, secrets: Secrets) => sign(TICKET, claims, secrets);
export const verifyTicket = (text: string, secrets: Secrets, now: number) =>
  verify(TICKET, text, secrets, now);

// ── The page's cookie ──────────────────────────────────────────────────────────────────────────────

/** `token` holds the claims of the token that logged in, with the requested role. */
const pageSchema = v.object({ token: claimsSchema, exp: v.number() });
type PageClaims = v.InferOutput<typeof pageSchema>;

const PAGE: Kind<PageClaims> = { type: 'holdfast-page', noun: 'login', schema: pageSchema };

export async function signPageCookie(
  token: Claims,
  secrets: Secrets,
  now: number,
): Promise<{ readonly cookie: string; readonly lifetimeSeconds: number }> {
  const nowSeconds = Math.floor(now / 1000);
  const exp = Math.min(nowSeconds + PAGE_COOKIE_LIFETIME_S, token.exp);
  const cookie = await sign(PAGE, { token, exp }, secrets);
  return { cookie, lifetimeSeconds: Math.max(0, exp - nowSeconds) };
}

export const verifyPageCookie = (text: string, secrets: Secrets, now: number) =>
  verify(PAGE, text, secrets, now);

// ── Renewals of a login ────────────────────────────────────────────────────────────────────────────

/** `cnf` as in RFC 7800: the bearer must prove that it holds this key. */
const renewalSchema = v.object({
  token: claimsSchema,
  cnf: v.object({ jwk: pageKeySchema }),
  exp: v.number(),
});
type RenewalClaims = v.InferOutput<typeof renewalSchema>;

const RENEWAL: Kind<RenewalClaims> = { type: 'holdfast-renewal', noun: 'login', schema: renewalSchema };

export const signRenewal = (token: Claims, jwk: PageKey, secrets: Secrets) =>
  sign(RENEWAL, { token, cnf: { jwk }, exp: token.exp }, secrets);

const challengeSchema = v.object({ ws: v.string(), exp: v.number(), jti: v.string() });
type ChallengeClaims = v.InferOutput<typeof challengeSchema>;

const CHALLENGE: Kind<ChallengeClaims> = {
  type: 'holdfast-challenge',
  noun: 'challenge',
  schema: challengeSchema,
};

/** Challenges are not stored: the signature and `exp` are sufficient to check one. */
export function signChallenge(workspace: string, secrets: Secrets, now: number): Promise<string> {
  const exp = Math.floor(now / 1000) + CHALLENGE_LIFETIME_S;
  return sign(CHALLENGE, { ws: workspace, exp, jti: crypto.randomUUID() }, secrets);
}

/** `text` is the whole credential: renewal, challenge and proof. The browser's clock has no influence. */
export const verifyRenewal = (text: string, secrets: Secrets, now: number) =>
  verifyProven(RENEWAL, ({ token }) => token.ws, text, secrets, now);

/** `challengeOf`: for what the challenge must have been made. */
async function verifyProven<T extends { readonly cnf: { readonly jwk: PageKey } }>(
  kind: Kind<T>,
  challengeOf: (claims: T) => string,
  text: string,
  secrets: Secrets,
  now: number,
): Promise<JwtVerdict<T>> {
  const shown = readRenewalCredential(text);
  if (shown === null) return invalid('login');
  const renewal = await verify(kind, shown.renewal, secrets, now);
  if (!renewal.ok) return renewal;
  const challenge = await verify(CHALLENGE, shown.challenge, secrets, now);
  if (!challenge.ok) return challenge;
  if (challenge.claims.ws !== challengeOf(renewal.claims)) return invalid('challenge');
  const { jwk } = renewal.claims.cnf;
  return (await isSignedBy(jwk, provenText(shown), shown.signature)) ? renewal : invalid('login');
}

// ── Renewals of the owner's login ──────────────────────────────────────────────────────────────────

/** No workspace can have this name, because of the dot. */
export const OWNER_CHALLENGE = '.owner';

/** `owner`: the public key of the owner. When that is replaced, logins of the previous owner cannot be renewed. */
const ownerRenewalSchema = v.object({
  owner: v.string(),
  cnf: v.object({ jwk: pageKeySchema }),
  exp: v.number(),
});
type OwnerRenewalClaims = v.InferOutput<typeof ownerRenewalSchema>;

const OWNER_RENEWAL: Kind<OwnerRenewalClaims> = {
  type: 'holdfast-owner-renewal',
  noun: 'login',
  schema: ownerRenewalSchema,
};

export const signOwnerRenewal = (claims: OwnerRenewalClaims, secrets: Secrets) =>
  sign(OWNER_RENEWAL, claims, secrets);

export async function verifyOwnerRenewal(
  text: string,
  owner: string,
  secrets: Secrets,
  now: number,
): Promise<JwtVerdict<OwnerRenewalClaims>> {
  const verdict = await verifyProven(OWNER_RENEWAL, () => OWNER_CHALLENGE, text, secrets, now);
  return verdict.ok && verdict.claims.owner !== owner ? invalid('login') : verdict;
}

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Null for an invalid key: a point that is not on the curve. */
export async function importPageKey(jwk: PageKey): Promise<CryptoKey | null> {
  return crypto.subtle.importKey('jwk', jwk, ECDSA, false, ['verify']).catch(() => null);
}

async function isSignedBy(jwk: PageKey, text: string, signature: string): Promise<boolean> {
  const key = await importPageKey(jwk);
  const bytes = bytesOfBase64url(signature);
  if (key === null || bytes === null) return false;
  return crypto.subtle.verify(ECDSA, key, bytes, new TextEncoder().encode(text));
}

function bytesOfBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]+$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

// ── Shared by all kinds ────────────────────────────────────────────────────────────────────────────

/**
 * A guest's are of a type of their own: an earlier version of the relay, which would overlook what they are limited to,
 * accepts none of them. [SL4]
 */
function typeOf<T extends object>(kind: Kind<T>, claims: T): string {
  return 'token' in claims && isGuest(claims.token as Claims) ? guestType(kind) : kind.type;
}

const guestType = ({ type }: { readonly type: string }) => `${type}-guest`;

function sign<T extends object>(kind: Kind<T>, claims: T, secrets: Secrets): Promise<string> {
  return signBySecret(claims, typeOf(kind, claims), secrets);
}

async function verify<T extends object>(
  kind: Kind<T>,
  text: string,
  secrets: Secrets,
  now: number,
): Promise<JwtVerdict<T>> {
  const header = headerOf(text);
  const isOfType = header?.typ === kind.type || header?.typ === guestType(kind);
  if (header?.alg !== 'HS256' || !isOfType) return invalid(kind.noun);
  const verdict = await verifyBySecret(text, secrets, { now });
  if (!verdict.ok) return { ...verdict, why: verdict.why.replace('token', kind.noun) };
  const claims = v.safeParse(kind.schema, verdict.claims);
  const isOfKind = claims.success && header.typ === typeOf(kind, claims.output);
  return isOfKind ? { ok: true, claims: claims.output } : invalid(kind.noun);
}

function invalid(noun: string): JwtVerdict<never> {
  return { ok: false, reason: 'invalid', why: `The ${noun} is not valid here.` };
}
