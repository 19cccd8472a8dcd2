/** Makes tokens. The command line's one doorway to `jose`. */
import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Claims } from '../protocol/token.ts';

export interface TokenRequest {
  readonly workspace: string;
  readonly role: Claims['role'];
  readonly lifetimeSeconds: number;
}

export function mintToken(
  { workspace, role, lifetimeSeconds }: TokenRequest,
  secret: string,
): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + lifetimeSeconds;
  const claims: Claims = { ws: workspace, role, exp, jti: randomBytes(12).toString('base64url') };
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
}
