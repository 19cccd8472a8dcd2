/**
 * The page's key pair, generated here, stored by the browser and not extractable. All use of WebCrypto in the page is
 * in this file.
 */
import { type PageKey, provenText, type RenewalProof } from '../../../protocol/page-login.ts';

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Null where the browser has no WebCrypto: on plain http beyond this machine, where there is no login either. */
export async function makePageKey(): Promise<CryptoKeyPair | null> {
  if (globalThis.crypto?.subtle === undefined) return null;
  const isExtractable = false;
  return crypto.subtle.generateKey(ECDSA, isExtractable, ['sign', 'verify']).catch(() => null);
}

export async function publicPart({ publicKey }: CryptoKeyPair): Promise<PageKey> {
  const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', publicKey);
  return { kty: 'EC', crv: 'P-256', x, y };
}

export async function prove(
  { privateKey }: CryptoKeyPair,
  shown: Omit<RenewalProof, 'signature'>,
): Promise<RenewalProof> {
  const text = new TextEncoder().encode(provenText(shown));
  const signature = new Uint8Array(await crypto.subtle.sign(ECDSA, privateKey, text));
  return { ...shown, signature: base64url(signature) };
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
