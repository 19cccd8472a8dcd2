/**
 * Our own address, as browsers know it. Behind a proxy that ends TLS, requests arrive over plain http and perhaps by
 * another name; RELAY_PUBLIC_URL says what people see. A proxy's headers are not believed: anybody can send them.
 */

/** Null when it is not set, or is no address of ours: then requests are taken as they arrive. */
export function readPublicUrl(setting: string | undefined): URL | null {
  const url = URL.parse(setting ?? '');
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === '/' ? url : null;
}

/** The address of a request, at our own origin. */
export function ownAddress(requestUrl: string, publicUrl: URL | null): URL {
  const url = new URL(requestUrl);
  return publicUrl === null ? url : new URL(url.pathname + url.search, publicUrl);
}
