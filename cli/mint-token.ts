/** Makes tokens. The command line's one doorway to `jose`. */
import { createHash, randomBytes } from 'node:crypto';
import { importPKCS8, type JWTPayload, SignJWT } from 'jose';
import { secretId, secretIdInput } from '../protocol/secret-id.ts';
import type { Claims } from '../protocol/token.ts';

export interface TokenRequest {
  readonly workspace: string;
  readonly role: Claims['role'];
  readonly lifetimeSeconds: number;
  /** Where the workspace's machine is. */
  readonly region?: string | undefined;
  /** Who it is for: the name that others see. */
  readonly name?: string | undefined;
  /** For a relay with RELAY_AUDIENCE or RELAY_ISSUER. */
  readonly audience?: string | undefined;
  readonly issuer?: string | undefined;
  /** In seconds since 1970; now unless said. */
  readonly issuedAt?: number | undefined;
}

/** Signed with the relay's own secret (HS256), which it names: while a secret is replaced, there are two. */
export function mintToken(request: TokenRequest, secret: string): Promise<string> {
  const kid = secretId(createHash('sha256').update(secretIdInput(secret)).digest());
  return unsigned(request).setProtectedHeader({ alg: 'HS256', kid }).sign(new TextEncoder().encode(secret));
}

/** Signed with a private key whose public half the relay has (EdDSA). `pem` is PKCS #8. */
export async function mintTokenByKey(request: TokenRequest, pem: string, kid?: string): Promise<string> {
  const key = await importPKCS8(pem, 'EdDSA');
  const header = { alg: 'EdDSA', ...(kid === undefined ? {} : { kid }) };
  return unsigned(request).setProtectedHeader(header).sign(key);
}

function unsigned({ workspace, role, lifetimeSeconds, ...more }: TokenRequest): SignJWT {
  const iat = more.issuedAt ?? Math.floor(Date.now() / 1000);
  const jti = randomBytes(12).toString('base64url');
  const claims = { ws: workspace, role, iat, exp: iat + lifetimeSeconds, jti } satisfies Claims;
  // What is undefined is left out of the JSON.
  return new SignJWT({
    ...claims,
    region: more.region,
    sub: more.name,
    aud: more.audience,
    iss: more.issuer,
  } as JWTPayload);
}

/** What a relay with these settings asks of a token. They may list several; a token carries the first. */
export function claimsAskedBy(
  settings: Readonly<Record<string, string | undefined>>,
): Pick<TokenRequest, 'audience' | 'issuer'> {
  return { audience: firstOf(settings.RELAY_AUDIENCE), issuer: firstOf(settings.RELAY_ISSUER) };
}

function firstOf(setting = ''): string | undefined {
  return setting.split(/[\s,]+/).find((text) => text !== '');
}
