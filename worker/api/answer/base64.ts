/** Bytes as base64: of streams that ask for it, and of digests. */

/** As many as `String.fromCharCode` takes arguments without complaint. */
const AT_ONCE = 8192;

export function base64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    binary += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  }
  return btoa(binary);
}

/** The same in the alphabet that ids may have. */
export function base64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
