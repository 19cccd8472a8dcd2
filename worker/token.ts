/** Checks a token's signature and age. The relay's one doorway to `jose`. */
import { jwtVerify } from 'jose';
import { type Claims, readClaims } from '../protocol/token.ts';

/** HS256 wants a key as long as its output (RFC 7518 §3.2); a shorter secret can be guessed. */
const SECRET_MIN_BYTES = 32;

export type Verdict =
  | { readonly ok: true; readonly claims: Claims }
  | { readonly ok: false; readonly why: string };

export async function verifyToken(token: string, secret: string): Promise<Verdict> {
  const key = new TextEncoder().encode(secret);
  if (key.length < SECRET_MIN_BYTES) throw new Error('invariant: RELAY_SECRET has fewer than 32 bytes');
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] });
    const claims = readClaims(payload);
    return claims === null ? { ok: false, why: 'The token lacks a claim.' } : { ok: true, claims };
  } catch (error) {
    return { ok: false, why: isExpired(error) ? 'The token has expired.' : 'The token is not valid here.' };
  }
}

function isExpired(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_JWT_EXPIRED';
}
