/**
 * Signs and verifies JWTs. Only this file imports `jose`.
 *
 * Each key works with one algorithm only, so that a public key is never mistaken for a secret. If there are two
 * secrets, the current one signs and the previous one still verifies, so a secret can be replaced without logging
 * anybody out. [GT10]
 */
import { decodeProtectedHeader, importJWK, importSPKI, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { secretId, secretIdInput } from '../../protocol/secret-id.ts';
import { log } from '../platform/log.ts';

export type { JWTPayload } from 'jose';

/** HS256 needs a key as long as its output (RFC 7518 §3.2); a shorter secret can be guessed. */
const SECRET_MIN_BYTES = 32;

export interface Secrets {
  readonly secret: string;
  /** The previous secret, while tokens that it signed are still in use. */
  readonly previousSecret?: string | undefined;
}

/** Why a credential is not valid: `expired` was valid once, `invalid` never was. */
export type JwtVerdict<T> =
  | { readonly ok: true; readonly claims: T }
  | { readonly ok: false; readonly reason: 'invalid' | 'expired'; readonly why: string };

export interface ExpectedClaims {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly audience?: readonly string[];
  readonly issuer?: readonly string[];
}

export interface NamedKey {
  readonly kid: string | undefined;
  readonly key: CryptoKey | Uint8Array;
}

export const NOT_VALID = { ok: false, reason: 'invalid', why: 'The token is not valid here.' } as const;

/** The unverified header; null when `text` is not a JWT. Nothing in it is proven. */
export function headerOf(text: string): { alg?: unknown; kid?: unknown; typ?: unknown } | null {
  try {
    return decodeProtectedHeader(text);
  } catch {
    return null;
  }
}

export async function signBySecret(claims: object, type: string, secrets: Secrets): Promise<string> {
  const [{ kid, key }] = await secretKeys(secrets);
  return new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'HS256', typ: type, kid }).sign(key);
}

export async function verifyBySecret(
  text: string,
  secrets: Secrets,
  expected: ExpectedClaims,
): Promise<JwtVerdict<JWTPayload>> {
  return verifyWith(text, await secretKeys(secrets), ['HS256'], expected);
}

export function verifyByPublicKey(
  text: string,
  keys: readonly NamedKey[],
  expected: ExpectedClaims,
): Promise<JwtVerdict<JWTPayload>> {
  return verifyWith(text, keys, ['EdDSA', 'Ed25519'], expected);
}

/** With a `kid`, only the key of that name is tried, if there is one; without a `kid`, every key. */
async function verifyWith(
  text: string,
  keys: readonly NamedKey[],
  algorithms: string[],
  { now, audience, issuer }: ExpectedClaims,
): Promise<JwtVerdict<JWTPayload>> {
  const kid = headerOf(text)?.kid;
  const named = keys.filter((key) => kid !== undefined && key.kid === kid);
  const options = {
    algorithms,
    currentDate: new Date(now),
    ...(audience === undefined ? {} : { audience: [...audience] }),
    ...(issuer === undefined ? {} : { issuer: [...issuer] }),
  };
  let verdict: JwtVerdict<JWTPayload> = NOT_VALID;
  for (const { key } of named.length > 0 ? named : keys) {
    try {
      const { payload } = await jwtVerify(text, key, options);
      return { ok: true, claims: payload };
    } catch (error) {
      if (verdict === NOT_VALID) verdict = failure(error);
    }
  }
  return verdict;
}

function failure(error: unknown): JwtVerdict<never> {
  const { code, claim } = error as { code?: unknown; claim?: unknown };
  if (code === 'ERR_JWT_EXPIRED') return { ok: false, reason: 'expired', why: 'The token has expired.' };
  if (claim === 'aud' || claim === 'iss') {
    const what = claim === 'aud' ? 'audience (`aud`)' : 'issuer (`iss`)';
    return {
      ok: false,
      reason: 'invalid',
      why: `The ${what} of the token is not one that this relay accepts.`,
    };
  }
  return NOT_VALID;
}

// ── Keys ───────────────────────────────────────────────────────────────────────────────────────────

class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

type SecretKeys = readonly [NamedKey & { readonly kid: string }, ...NamedKey[]];

/** Read once per isolate; settings do not change while a Worker runs. */
let read: { readonly secrets: Secrets; readonly keys: Promise<SecretKeys> } | undefined;

function secretKeys(secrets: Secrets): Promise<SecretKeys> {
  const { secret, previousSecret } = secrets;
  if (read?.secrets.secret !== secret || read.secrets.previousSecret !== previousSecret) {
    read = { secrets, keys: readSecrets(secrets) };
  }
  return read.keys;
}

async function readSecrets({ secret, previousSecret }: Secrets): Promise<SecretKeys> {
  const current = bytesOf(secret);
  if (current.length < SECRET_MIN_BYTES) throw new ConfigurationError('RELAY_SECRET has fewer than 32 bytes');
  const first = { kid: await kidOf(secret), key: current };
  if (!previousSecret) return [first];
  const previous = bytesOf(previousSecret);
  // Only tokens signed with the bad previous secret are refused. It must not lock out everybody else.
  if (previous.length < SECRET_MIN_BYTES) {
    log('error', 'previous_secret_unusable', { error: 'fewer than 32 bytes' });
    return [first];
  }
  return [first, { kid: await kidOf(previousSecret), key: previous }];
}

const bytesOf = (text: string) => new TextEncoder().encode(text ?? '');

async function kidOf(secret: string): Promise<string> {
  return secretId(new Uint8Array(await crypto.subtle.digest('SHA-256', bytesOf(secretIdInput(secret)))));
}

export function importEd25519Jwk(jwk: {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}): Promise<CryptoKey | Uint8Array> {
  return importJWK(jwk, 'EdDSA');
}

export function importEd25519Pem(pem: string): Promise<CryptoKey> {
  return importSPKI(pem, 'EdDSA');
}
