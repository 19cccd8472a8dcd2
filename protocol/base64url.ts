/** Encodes short binary values (keys, nonces, digests) as base64url without padding (RFC 4648 §5). */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export function encodeBase64url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const group = (a << 16) | (b << 8) | c;
    const chars = Math.min(3, bytes.length - at) + 1;
    for (let i = 0; i < chars; i++) text += ALPHABET.charAt((group >> (18 - 6 * i)) & 63);
  }
  return text;
}

/** Null unless `text` is the canonical encoding of exactly `length` bytes, so that equal texts mean equal bytes. */
export function decodeBase64url(text: string, length: number): Uint8Array<ArrayBuffer> | null {
  if (text.length !== Math.ceil((length * 4) / 3)) return null;
  const bytes = new Uint8Array(length);
  let [held, bits, at] = [0, 0, 0];
  for (const char of text) {
    const value = ALPHABET.indexOf(char);
    if (value === -1) return null;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = held >> bits;
  }
  return encodeBase64url(bytes) === text ? bytes : null;
}
