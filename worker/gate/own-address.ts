/**
 * The relay's own address as browsers see it. Behind a proxy that terminates TLS, requests arrive over plain http and
 * perhaps under another host name; RELAY_PUBLIC_URL sets the public address. A proxy's headers are not trusted, because
 * anybody can send them.
 */

/** Null when the setting is missing or is not a valid address; the address of each request is then used. */
export function readPublicUrl(setting: string | undefined): URL | null {
  const url = URL.parse(setting ?? '');
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' ? url : null;
}

/** The request's address, at our public origin. */
export function ownAddress(requestUrl: string, publicUrl: URL | null): URL {
  const url = new URL(requestUrl);
  return publicUrl === null ? url : new URL(url.pathname + url.search, publicUrl);
}
