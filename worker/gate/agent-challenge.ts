/**
 * Challenges an agent to prove its key, with WebCrypto. The Worker creates the challenge together with the only correct
 * answer and discards its own private key. The workspace's object only compares, so it never waits for asynchronous
 * crypto. Rules AK3, AK4.
 */
import {
  decodeKey,
  encodeChallenge,
  KEY_BYTES,
  NONCE_BYTES,
  type ProofFacts,
  proofContext,
  proofTranscript,
} from '../../protocol/agent-key.ts';
import { encodeBase64url } from '../../protocol/base64url.ts';

export interface PreparedChallenge {
  /** For the response header. */
  readonly challenge: string;
  /** The MAC that a `prove` message must contain. */
  readonly mac: string;
}

const X25519 = { name: 'X25519' };

/**
 * Null when `key` is not a usable X25519 key: not 32 bytes, or a point of low order, which proves nothing about its
 * holder.
 */
export async function prepareChallenge(workspace: string, key: string): Promise<PreparedChallenge | null> {
  const agentKey = decodeKey(key);
  if (agentKey === null) return null;
  const pair = (await crypto.subtle.generateKey(X25519, false, ['deriveBits'])) as CryptoKeyPair;
  const relayKey = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const mac = await proofMac(pair.privateKey, { workspace, agentKey, relayKey, nonce });
  return mac === null ? null : { challenge: encodeChallenge({ relayKey, nonce }), mac };
}

/** The MAC as the relay computes it; null when the shared secret is all zeros. */
export async function proofMac(relayPrivate: CryptoKey, facts: ProofFacts): Promise<string | null> {
  const secret = await sharedSecret(relayPrivate, facts.agentKey);
  if (secret === null) return null;
  const hkdf = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: facts.nonce, info: proofContext(facts) };
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 };
  const key = await crypto.subtle.deriveKey(derivation, hkdf, hmac, false, ['sign']);
  return encodeBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, proofTranscript(facts))));
}

/** Platforms refuse points of low order themselves. The check is repeated here in case one does not. */
async function sharedSecret(relayPrivate: CryptoKey, agentKey: Uint8Array): Promise<Uint8Array | null> {
  try {
    const peer = await crypto.subtle.importKey('raw', agentKey, X25519, false, []);
    // The platform's type declarations call this member `$public`, but the implementation expects `public`.
    const agreement = { ...X25519, public: peer } as unknown as SubtleCryptoDeriveKeyAlgorithm;
    const bits = await crypto.subtle.deriveBits(agreement, relayPrivate, KEY_BYTES * 8);
    const secret = new Uint8Array(bits);
    return secret.every((byte) => byte === 0) ? null : secret;
  } catch (error) {
    if (error instanceof Error && error.name === 'OperationError') return null;
    throw error;
  }
}

/** The fingerprint that people compare, in the format of `ssh-keygen -l`. */
export async function fingerprint(key: string): Promise<string> {
  const bytes = decodeKey(key);
  if (bytes === null) return 'unreadable';
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `SHA256:${btoa(String.fromCharCode(...digest)).replace(/=+$/, '')}`;
}
