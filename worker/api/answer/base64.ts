/** Encodes bytes as base64, for digests and for streams that request it. */

/** The number of arguments that `String.fromCharCode` safely takes. */
const AT_ONCE = 8192;

export function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  }
  return btoa(binary);
}

/** The URL-safe alphabet, which ids may contain. */
export function base64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
