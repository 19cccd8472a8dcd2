/** Returns 128 random bits in hex. `crypto.randomUUID` is only available on https and loopback. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
