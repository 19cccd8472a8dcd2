/**
 * A short id of a signing secret, so that the right one of two is tried first. It is the `kid` of signed credentials.
 * It is a labelled hash cut to 48 bits, which tells two secrets apart and reveals nothing about either.
 */

/** The input of SHA-256. */
export const secretIdInput = (secret: string): string => `holdfast secret id\n${secret}`;

/** The id of the secret whose input has this hash. */
export function secretId(sha256: Uint8Array): string {
  return [...sha256.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
