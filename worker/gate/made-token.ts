/** Tokens that the relay itself makes: for a machine that joins, and for people to whom its owner gives a link. */
import type { Claims } from '../../protocol/token.ts';
import { newCodeId } from './device-code.ts';
import { signBySecret } from './jwt.ts';
import type { Keys } from './token.ts';

/** Valid from now on. */
export function newClaims(
  claims: Omit<Claims, 'iat' | 'exp' | 'jti'>,
  lifetimeSeconds: number,
): Claims & { readonly iat: number } {
  const iat = Math.floor(Date.now() / 1000);
  return { ...claims, iat, exp: iat + lifetimeSeconds, jti: newCodeId() };
}

/** With the audience and the issuer that this relay requires of every token. */
export function signToken(claims: Claims, keys: Keys): Promise<string> {
  const [aud] = keys.audience ?? [];
  const [iss] = keys.issuer ?? [];
  const required = { ...(aud === undefined ? {} : { aud }), ...(iss === undefined ? {} : { iss }) };
  return signBySecret({ ...claims, ...required }, 'JWT', keys);
}
