/**
 * Creates tokens (JWT, RFC 7519). It uses node:crypto, not `jose`: signing takes ten lines, and `npm start` keeps this
 * code in memory as long as it runs.
 */
import { createHash, createHmac, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { secretId, secretIdInput } from '../../protocol/secret-id.ts';
import type { Claims } from '../../protocol/token.ts';

export interface TokenRequest {
  readonly workspace: string;
  readonly role: Claims['role'];
  readonly lifetimeSeconds: number;
  /** The region of the workspace's machine. */
  readonly region?: string | undefined;
  /** For an agent whose key replaces the one that the workspace has pinned. */
  readonly repin?: boolean | undefined;
  /** Who the token is for: the name that others see (`sub`). */
  readonly name?: string | undefined;
  /** For a relay with RELAY_AUDIENCE or RELAY_ISSUER. */
  readonly audience?: string | undefined;
  readonly issuer?: string | undefined;
  /** In seconds since 1970; by default now. */
  readonly issuedAt?: number | undefined;
}

/**
 * Signs with the relay's own secret (HS256). The key id names the secret, because there are two while it is being
 * replaced.
 */
export async function mintToken(request: TokenRequest, secret: string): Promise<string> {
  const kid = secretId(createHash('sha256').update(secretIdInput(secret)).digest());
  const text = unsigned({ alg: 'HS256', kid }, request);
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** Signs with a private key whose public half the relay has (EdDSA). `pem` is PKCS #8. */
export async function mintTokenByKey(request: TokenRequest, pem: string, kid?: string): Promise<string> {
  const key = createPrivateKey(pem);
  // Any other kind of key would sign as well, but every relay would refuse the token.
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError(`${key.asymmetricKeyType} is not Ed25519`);
  const text = unsigned({ alg: 'EdDSA', kid }, request);
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

/** Header and claims of a token. Undefined values are left out of the JSON. */
function unsigned(header: object, { workspace, role, lifetimeSeconds, ...more }: TokenRequest): string {
  const iat = more.issuedAt ?? Math.floor(Date.now() / 1000);
  const jti = randomBytes(12).toString('base64url');
  const claims = { ws: workspace, role, iat, exp: iat + lifetimeSeconds, jti } satisfies Claims;
  const others = {
    region: more.region,
    repin: more.repin === true ? true : undefined,
    sub: more.name,
    aud: more.audience,
    iss: more.issuer,
  };
  return [header, { ...claims, ...others }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
}

/**
 * The claims that a relay with these settings requires. A setting may list several values; a token carries the first.
 */
export function claimsAskedBy(
  settings: Readonly<Record<string, string | undefined>>,
): Pick<TokenRequest, 'audience' | 'issuer'> {
  return { audience: firstOf(settings.RELAY_AUDIENCE), issuer: firstOf(settings.RELAY_ISSUER) };
}

function firstOf(setting = ''): string | undefined {
  return setting.split(/[\s,]+/).find((text) => text !== '');
}
