/**
 * A browser as far as a push is concerned, written from the RFCs with Node's own cryptography and nothing of the relay:
 * it makes the keys of a subscription, decrypts what arrives (RFC 8291) and checks who sent it (RFC 8292).
 */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto';

export class Browser {
  readonly #ecdh: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);

  private constructor() {
    this.#ecdh.generateKeys();
  }

  static async open(): Promise<Browser> {
    return new Browser();
  }

  get keys(): { p256dh: string; auth: string } {
    return {
      p256dh: this.#ecdh.getPublicKey().toString('base64url'),
      auth: this.#auth.toString('base64url'),
    };
  }

  /** Throws when the message is not for this browser. */
  decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const idLength = body[20] ?? 0;
    const sender = body.subarray(21, 21 + idLength);
    const sealed = body.subarray(21 + idLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#ecdh.getPublicKey(), sender]);
    const secret = Buffer.from(hkdfSync('sha256', this.#ecdh.computeSecret(sender), this.#auth, info, 32));
    const key = hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12);
    const decipher = createDecipheriv('aes-128-gcm', Buffer.from(key), Buffer.from(nonce));
    decipher.setAuthTag(sealed.subarray(-16));
    const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    const end = record.findLastIndex((byte) => byte !== 0);
    if (record[end] !== 2) throw new Error('the last record does not end as one');
    return record.subarray(0, end).toString('utf8');
  }
}

export interface Sender {
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub?: string };
  readonly key: string;
}

/** Who sent a push, by its header `Authorization`. Throws when the signature is wrong. */
export function senderOf(authorization: string): Sender {
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string };
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned || alg !== 'ES256') throw new Error('the push is not signed with the key it names');
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), key };
}
