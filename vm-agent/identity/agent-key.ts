/** The X25519 key by which the relay knows this machine, implemented with node:crypto. Rules AK1 and AK4. */
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import {
  type Challenge,
  KEY_BYTES,
  MAC_BYTES,
  proofContext,
  proofTranscript,
} from '../../protocol/agent-key.ts';
import { encodeBase64url } from '../../protocol/base64url.ts';

/** The bytes before the 32 bytes of a private X25519 key in PKCS #8 (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

export class AgentKey {
  readonly #private: KeyObject;
  readonly publicBytes: Uint8Array;

  constructor(secret: Uint8Array) {
    const key = Buffer.concat([PKCS8_PREFIX, secret]);
    this.#private = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(this.#private).export({ format: 'jwk' });
    this.publicBytes = Buffer.from(x, 'base64url');
  }

  /** The secret half of a new key; any 32 bytes are valid. */
  static makeSecret(): Uint8Array {
    return randomBytes(KEY_BYTES);
  }

  /** The public key as sent in the upgrade request. */
  get publicText(): string {
    return encodeBase64url(this.publicBytes);
  }

  /** How people tell keys apart, in the format of `ssh-keygen -l`. */
  get fingerprint(): string {
    const digest = createHash('sha256').update(this.publicBytes).digest('base64');
    return `SHA256:${digest.replace(/=+$/, '')}`;
  }

  /** Answers the relay's challenge. Throws for a relay key of low order, because its answer would prove nothing. */
  prove(workspace: string, { relayKey, nonce }: Challenge): string {
    const x = encodeBase64url(relayKey);
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
    const secret = diffieHellman({ privateKey: this.#private, publicKey });
    const facts = { workspace, agentKey: this.publicBytes, relayKey, nonce };
    const key = hkdfSync('sha256', secret, nonce, proofContext(facts), MAC_BYTES);
    const mac = createHmac('sha256', Buffer.from(key)).update(proofTranscript(facts)).digest();
    return encodeBase64url(mac);
  }
}
