/**
 * Verifies tokens. A token is signed with the relay's secret (HS256), or by a platform's own login with a key whose
 * public half the relay has (EdDSA). Credentials that the relay issues itself are in own-credentials.ts. Rule GT2.
 */
import { CLOCK_SKEW_MAX_S } from '../../protocol/limits.ts';
import { type Claims, readClaims } from '../../protocol/token.ts';
import {
  type ExpectedClaims,
  headerOf,
  type JwtVerdict,
  NOT_VALID,
  type Secrets,
  verifyByPublicKey,
  verifyBySecret,
} from './jwt.ts';
import { publicKeys } from './public-keys.ts';

export interface Keys extends Secrets {
  /** RELAY_PUBLIC_KEY; holds several keys while one replaces another. */
  readonly publicKeys: string | undefined;
  /** If set, a token must carry one of these. */
  readonly audience?: readonly string[] | undefined;
  readonly issuer?: readonly string[] | undefined;
}

/**
 * A token is a plain JWT or an access token (RFC 9068). Any other `typ` was signed for another purpose with the same
 * key: our tickets and cookies, or a login's proofs and logout notices.
 */
const TOKEN_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i;

export async function verifyToken(text: string, keys: Keys, now: number): Promise<JwtVerdict<Claims>> {
  const header = headerOf(text);
  if (header === null) return NOT_VALID;
  const { alg, typ } = header;
  if (typ !== undefined && !(typeof typ === 'string' && TOKEN_TYPE.test(typ))) return NOT_VALID;
  const expected: ExpectedClaims = {
    now,
    ...(keys.audience === undefined ? {} : { audience: keys.audience }),
    ...(keys.issuer === undefined ? {} : { issuer: keys.issuer }),
  };
  const verdict =
    alg === 'HS256'
      ? await verifyBySecret(text, keys, expected)
      : await verifyByPublicKey(text, await publicKeys(keys.publicKeys), expected);
  if (!verdict.ok) return verdict;
  const claims = readClaims(verdict.claims);
  if (claims === null) return { ok: false, reason: 'invalid', why: 'The token lacks a claim.' };
  return isFromTheFuture(claims, now) ? FROM_THE_FUTURE : { ok: true, claims };
}

/** A token issued in the future would escape every revocation by time until its `iat` has passed. */
function isFromTheFuture({ iat = 0 }: Claims, now: number): boolean {
  return iat * 1000 > now + CLOCK_SKEW_MAX_S * 1000;
}

const FROM_THE_FUTURE = {
  ok: false,
  reason: 'invalid',
  why: 'The token was made in the future (`iat`); check the clock of the machine that made it.',
} as const;
