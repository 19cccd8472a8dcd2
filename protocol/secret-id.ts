/**
 * A short name for a signing secret, so that of two the right one is tried first. It goes into the `kid` of what is
 * signed. A labelled hash cut to 48 bits: it tells two secrets apart and nothing about either.
 */

/** What is hashed with SHA-256. */
export const secretIdInput = (secret: string): string => `holdfast secret id\n${secret}`;

/** The name of the secret whose input has this hash. */
export function secretId(sha256: Uint8Array): string {
  return [...sha256.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
