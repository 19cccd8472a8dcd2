/**
 * Identifies where a failed authentication came from: an IP address that the platform vouches for, or else the
 * credential.
 */

/**
 * Enough of a credential to distinguish it. For a JWT this is part of the signature, so a forged claim cannot target
 * somebody.
 */
const CREDENTIAL_CHARS = 64;

export function authSource(request: Request, credential: string): string {
  const address = vouchedAddress(request);
  return address === null ? `credential ${credential.slice(-CREDENTIAL_CHARS)}` : `address ${address}`;
}

/**
 * Cloudflare sets `CF-Connecting-IP` itself, and names in `cf` the data centre that received the request. Self-hosted
 * workerd does neither, so there the header is the client's own claim. workerd does report the peer's address
 * (`cf.clientIp`), but that is often a proxy or a container's gateway, and one stranger behind it would lock out
 * everybody.
 */
function vouchedAddress(request: Request): string | null {
  const address = request.headers.get('CF-Connecting-IP');
  const isAtCloudflare = typeof request.cf?.colo === 'string';
  return !isAtCloudflare || address === null || isLocal(address) ? null : networkOf(address);
}

/** The holder of one IPv6 address has all 2^64 addresses of its network. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const after = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? [] : new Array(Math.max(0, 8 - groups.length - after.length)).fill('0');
  return [...groups, ...zeros, ...after].slice(0, 4).join(':');
}

function isLocal(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./i.test(address);
}
