/**
 * Encrypts the content of a push, so that only the browser that subscribed can read it (RFC 8291, with the content
 * encoding aes128gcm of RFC 8188, in one record). Written here because it is short and WebCrypto does the work; the
 * test repeats the example of the RFC.
 */
import { decodeBase64url } from '../../protocol/base64url.ts';
import { joinBytes } from '../../protocol/join-bytes.ts';
import { PUSH_CONTENT_BYTES } from '../../protocol/limits.ts';

/** The public key of the browser, an uncompressed point of P-256, and a secret that it shares with the relay. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

export const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const SALT_BYTES = 16;
/** The size of a record, which the header names. Ours has one record, and is shorter. */
const RECORD_BYTES = 4096;
/** Ends the content of the last record; zeros may follow. */
const DELIMITER = 2;

const ECDH = { name: 'ECDH', namedCurve: 'P-256' };
const text = (value: string) => new TextEncoder().encode(value);

/** Null when the keys are not those of a browser: of another length, or no point of the curve. */
export async function importPushKeys({ p256dh, auth }: PushKeys) {
  const [point, secret] = [decodeBase64url(p256dh, POINT_BYTES), decodeBase64url(auth, AUTH_BYTES)];
  if (point === null || secret === null) return null;
  try {
    return { point, secret, key: await crypto.subtle.importKey('raw', point, ECDH, false, []) };
  } catch {
    return null;
  }
}

/** What must be new for every message; tests give the values of the RFC. */
interface Fresh {
  readonly pair: CryptoKeyPair;
  readonly salt: Uint8Array<ArrayBuffer>;
}

async function fresh(): Promise<Fresh> {
  const pair = (await crypto.subtle.generateKey(ECDH, false, ['deriveBits'])) as CryptoKeyPair;
  return { pair, salt: crypto.getRandomValues(new Uint8Array(SALT_BYTES)) };
}

/** `content` is padded to `padTo` bytes. Null when the keys are not those of a browser. */
export async function encryptPush(
  content: Uint8Array,
  keys: PushKeys,
  padTo = PUSH_CONTENT_BYTES,
  made?: Fresh,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const browser = await importPushKeys(keys);
  if (browser === null) return null;
  const { pair, salt } = made ?? (await fresh());
  const sender = new Uint8Array((await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer);
  // The platform's type declarations call this member `$public`, but the implementation expects `public`.
  const agreement = { ...ECDH, public: browser.key } as unknown as SubtleCryptoDeriveKeyAlgorithm;
  const shared = new Uint8Array(await crypto.subtle.deriveBits(agreement, pair.privateKey, 256));
  const about = joinBytes([text('WebPush: info\0'), browser.point, sender]);
  const secret = await hkdf(shared, browser.secret, about, 32);
  const key = await hkdf(secret, salt, text('Content-Encoding: aes128gcm\0'), 16);
  const nonce = await hkdf(secret, salt, text('Content-Encoding: nonce\0'), 12);
  const record = new Uint8Array(Math.max(padTo, content.length) + 1);
  record.set(content);
  record[content.length] = DELIMITER;
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, aes, record);
  return joinBytes([header(salt, sender), new Uint8Array(sealed)]);
}

/** RFC 8188: salt, size of a record, length of the key's name, and the name, which is the sender's key. */
function header(salt: Uint8Array, sender: Uint8Array): Uint8Array {
  const size = new Uint8Array(5);
  new DataView(size.buffer).setUint32(0, RECORD_BYTES);
  size[4] = sender.length;
  return joinBytes([salt, size, sender]);
}

async function hkdf(
  secret: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  bytes: number,
): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']);
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, key, bytes * 8),
  );
}
