/** Where a failed authentication came from: an address that the platform vouches for, or else what was shown. */

/** As much of a credential as tells it from others: of a JWT, part of its signature, so that no claim can be aimed at. */
const CREDENTIAL_CHARS = 64;

export function authSource(request: Request, credential: string): string {
  const address = vouchedAddress(request);
  return address === null ? `credential ${credential.slice(-CREDENTIAL_CHARS)}` : `address ${address}`;
}

/**
 * Cloudflare sets `CF-Connecting-IP` itself, and says in `cf` which of its data centres the request came to. On a machine
 * of one's own workerd does neither: there the header is the client's own claim. The peer's address, which it does tell
 * (`cf.clientIp`), is often that of a proxy or a container's gateway, and one stranger behind it would lock out everybody.
 */
function vouchedAddress(request: Request): string | null {
  const address = request.headers.get('CF-Connecting-IP');
  const isAtCloudflare = typeof request.cf?.colo === 'string';
  return !isAtCloudflare || address === null || isLocal(address) ? null : networkOf(address);
}

/** Whoever has one IPv6 address has the 2^64 of its network as well. */
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
