/**
 * Tells a push service who sends (VAPID, RFC 8292): a short-lived token signed with the key that the browser was given
 * when it subscribed. Each workspace has a key of its own, so that nobody can push to its browsers but its relay.
 */
import { encodeBase64url } from '../../protocol/base64url.ts';

/** `publicKey` is what browsers get: the uncompressed point as base64url. `privateKey` is a JWK as JSON. */
export interface VapidKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Push services accept at most a day. */
const VALID_S = 12 * 3600;

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' };

export async function makeVapidKey(): Promise<VapidKey> {
  const pair = (await crypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])) as CryptoKeyPair;
  const point = (await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer;
  const jwk = await crypto.subtle.exportKey('jwk', pair.privateKey);
  return { publicKey: encodeBase64url(new Uint8Array(point)), privateKey: JSON.stringify(jwk) };
}

/**
 * The header `Authorization` for a push to `endpoint`. `subject` is how the service can reach the relay's owner; some
 * services refuse a token without one.
 */
export async function vapidHeader(
  { publicKey, privateKey }: VapidKey,
  endpoint: URL,
  subject: string | null,
  now: number,
): Promise<string> {
  const claims = {
    aud: endpoint.origin,
    exp: Math.floor(now / 1000) + VALID_S,
    ...(subject === null ? {} : { sub: subject }),
  };
  const signed = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
  const key = await crypto.subtle.importKey('jwk', JSON.parse(privateKey), ECDSA, false, ['sign']);
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(signed));
  return `vapid t=${signed}.${encodeBase64url(new Uint8Array(signature))}, k=${publicKey}`;
}

const part = (value: unknown) => encodeBase64url(new TextEncoder().encode(JSON.stringify(value)));
