/**
 * Checks tokens and tickets, and makes what the relay itself gives out. The relay's one doorway to `jose`.
 *
 * A token is signed with the relay's secret (HS256), or by a platform's own login with a key whose public half
 * the relay has (EdDSA). Each key is used with its own algorithm only, so that a public key is never taken for
 * a secret. Tickets and the cookie that a ticket buys are signed with the secret.
 */
import { decodeProtectedHeader, importJWK, importSPKI, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import * as v from 'valibot';
import { type Claims, claimsSchema, readClaims } from '../protocol/token.ts';
import { errorName, log } from './log.ts';

/** HS256 wants a key as long as its output (RFC 7518 §3.2); a shorter secret can be guessed. */
const SECRET_MIN_BYTES = 32;

/** Long enough for a page to dial, too short to be worth stealing from a log. */
export const TICKET_LIFETIME_S = 30;

/** In a ticket's header, so that it is never taken for a token, nor a token for a ticket. */
const TICKET_TYPE = 'holdfast-ticket';

export interface Keys {
  readonly secret: string;
  /** A JWK, a JWK set, or PEM blocks: several while one key replaces another. */
  readonly publicKeys: string | undefined;
}

export type Verdict<T> =
  | { readonly ok: true; readonly claims: T }
  | { readonly ok: false; readonly why: string };

const ticketSchema = v.object({
  /** What the token said that it was bought with. */
  token: claimsSchema,
  role: v.picklist(['operator', 'viewer']),
  /** The one page that may use it. */
  origin: v.string(),
  exp: v.number(),
  jti: v.string(),
});
export type TicketClaims = v.InferOutput<typeof ticketSchema>;

export async function verifyToken(token: string, keys: Keys): Promise<Verdict<Claims>> {
  const verdict = await verify(token, keys, (type) => type !== TICKET_TYPE);
  if (!verdict.ok) return verdict;
  const claims = readClaims(verdict.claims);
  return claims === null ? { ok: false, why: 'The token lacks a claim.' } : { ok: true, claims };
}

export async function verifyTicket(ticket: string, { secret }: Keys): Promise<Verdict<TicketClaims>> {
  const verdict = await verify(ticket, { secret, publicKeys: undefined }, (type) => type === TICKET_TYPE);
  if (!verdict.ok) return verdict;
  const claims = v.safeParse(ticketSchema, verdict.claims);
  return claims.success
    ? { ok: true, claims: claims.output }
    : { ok: false, why: 'The ticket lacks a claim.' };
}

export function signTicket(claims: TicketClaims, { secret }: Keys): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: TICKET_TYPE })
    .sign(bytesOf(secret));
}

export function signToken(claims: Claims, { secret }: Keys): Promise<string> {
  return new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'HS256' }).sign(bytesOf(secret));
}

async function verify(
  text: string,
  keys: Keys,
  isType: (type: string | undefined) => boolean,
): Promise<Verdict<JWTPayload>> {
  try {
    const { alg, kid, typ } = decodeProtectedHeader(text);
    if (!isType(typ)) return NOT_VALID;
    if (alg === 'HS256') {
      const { payload } = await jwtVerify(text, bytesOf(keys.secret), { algorithms: ['HS256'] });
      return { ok: true, claims: payload };
    }
    return await verifyBySignature(text, await publicKeys(keys.publicKeys), kid);
  } catch (error) {
    if (errorName(error) === 'ConfigurationError') throw error;
    return failure(error);
  }
}

/** With a `kid` only the key of that name counts, if there is one; without, any. */
async function verifyBySignature(
  text: string,
  keys: readonly PublicKey[],
  kid: string | undefined,
): Promise<Verdict<JWTPayload>> {
  const named = keys.filter((key) => kid !== undefined && key.kid === kid);
  let verdict: Verdict<JWTPayload> = NOT_VALID;
  for (const { key } of named.length > 0 ? named : keys) {
    try {
      const { payload } = await jwtVerify(text, key, { algorithms: ['EdDSA', 'Ed25519'] });
      return { ok: true, claims: payload };
    } catch (error) {
      if (verdict === NOT_VALID) verdict = failure(error);
    }
  }
  return verdict;
}

const NOT_VALID = { ok: false, why: 'The token is not valid here.' } as const;

function failure(error: unknown): Verdict<never> {
  const expired = error instanceof Error && 'code' in error && error.code === 'ERR_JWT_EXPIRED';
  return expired ? { ok: false, why: 'The token has expired.' } : NOT_VALID;
}

class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

function bytesOf(secret: string): Uint8Array {
  const key = new TextEncoder().encode(secret ?? '');
  if (key.length < SECRET_MIN_BYTES) {
    throw new ConfigurationError('RELAY_SECRET has fewer than 32 bytes');
  }
  return key;
}

// ── Public keys ────────────────────────────────────────────────────────────────────────────────────

interface PublicKey {
  readonly kid: string | undefined;
  readonly key: CryptoKey | Uint8Array;
}

const jwkSchema = v.object({
  kty: v.literal('OKP'),
  crv: v.literal('Ed25519'),
  x: v.string(),
  kid: v.optional(v.string()),
});

/** Read once per isolate; the setting does not change under a running Worker. */
let read: { readonly setting: string; readonly keys: Promise<PublicKey[]> } | undefined;

function publicKeys(setting: string | undefined): Promise<PublicKey[]> {
  if (setting === undefined || setting.trim() === '') return Promise.resolve([]);
  if (read?.setting !== setting) read = { setting, keys: readPublicKeys(setting) };
  return read.keys;
}

/** A setting that can not be read admits nobody, and says so in the log: HS256 tokens go on working. */
export async function readPublicKeys(setting: string): Promise<PublicKey[]> {
  try {
    return await (setting.trim().startsWith('{') ? readJwks(setting) : readPems(setting));
  } catch (error) {
    log('error', 'public_key_unusable', { error: errorName(error) });
    return [];
  }
}

function readJwks(setting: string): Promise<PublicKey[]> {
  const json = JSON.parse(setting) as { keys?: unknown };
  const jwks = v.parse(v.array(jwkSchema), Array.isArray(json.keys) ? json.keys : [json]);
  // The schema has dropped a private part, should somebody have pasted one.
  return Promise.all(jwks.map(async ({ kid, ...jwk }) => ({ kid, key: await importJWK(jwk, 'EdDSA') })));
}

/** Settings pages often keep a line end as the two characters `\n`. */
function readPems(setting: string): Promise<PublicKey[]> {
  const pems = setting
    .replaceAll('\\n', '\n')
    .match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g);
  if (pems === null) throw new Error('no key in it');
  return Promise.all(pems.map(async (pem) => ({ kid: undefined, key: await importSPKI(pem, 'EdDSA') })));
}
