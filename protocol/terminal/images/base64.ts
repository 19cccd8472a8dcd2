/** Reads base64 that was collected as ASCII without anything else in it, from any place. */

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const INVALID = 64;

const VALUES = new Uint8Array(128).fill(INVALID);
for (let value = 0; value < CHARACTERS.length; value++) VALUES[CHARACTERS.charCodeAt(value)] = value;

export function isBase64(code: number): boolean {
  return code < 128 && VALUES[code] !== INVALID;
}

/** The bytes from `from` to `to`; fewer if there are not so many. A quarter of characters holds three bytes. */
export function bytesOfBase64(text: Uint8Array, from: number, to: number): Uint8Array<ArrayBuffer> {
  const length = Math.floor((text.length * 3) / 4);
  const end = Math.min(to, length);
  const bytes = new Uint8Array(Math.max(0, end - from));
  for (let at = from; at < end; at++) {
    const char = Math.floor(at / 3) * 4 + (at % 3);
    const pair = (valueAt(text, char) << 6) | valueAt(text, char + 1);
    bytes[at - from] = pair >> (4 - 2 * (at % 3));
  }
  return bytes;
}

function valueAt(text: Uint8Array, at: number): number {
  return VALUES[text[at] ?? 0] ?? 0;
}
