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

/**
 * The request's address, at our public origin. The path is set and not resolved: one that begins with two slashes, or
 * becomes so because of backslashes in it, would name another host.
 */
export function ownAddress(requestUrl: string, publicUrl: URL | null): URL {
  const url = new URL(requestUrl);
  if (publicUrl === null) return url;
  const own = new URL(publicUrl);
  own.pathname = url.pathname;
  own.search = url.search;
  return own;
}
