/** Makes tokens. The command line's one doorway to `jose`. */
import { randomBytes } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import type { Claims } from '../protocol/token.ts';

export interface TokenRequest {
  readonly workspace: string;
  readonly role: Claims['role'];
  readonly lifetimeSeconds: number;
  /** Where the workspace's machine is. */
  readonly region?: string;
  /** For an agent whose key takes the place of the one that the workspace knows. */
  readonly repin?: boolean;
  /** Who holds it: the name that people see (`sub`). */
  readonly name?: string;
}

/** Signed with the relay's own secret (HS256). */
export function mintToken(request: TokenRequest, secret: string): Promise<string> {
  return unsigned(request).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret));
}

/** Signed with a private key whose public half the relay has (EdDSA). `pem` is PKCS #8. */
export async function mintTokenByKey(request: TokenRequest, pem: string, kid?: string): Promise<string> {
  const key = await importPKCS8(pem, 'EdDSA');
  const header = { alg: 'EdDSA', ...(kid === undefined ? {} : { kid }) };
  return unsigned(request).setProtectedHeader(header).sign(key);
}

function unsigned({ workspace, role, lifetimeSeconds, region, repin, name }: TokenRequest): SignJWT {
  const iat = Math.floor(Date.now() / 1000);
  const jti = randomBytes(12).toString('base64url');
  const claims = { ws: workspace, role, iat, exp: iat + lifetimeSeconds, jti } satisfies Claims;
  return new SignJWT({
    ...claims,
    ...(region === undefined ? {} : { region }),
    ...(repin === true ? { repin } : {}),
    ...(name === undefined ? {} : { sub: name }),
  });
}
