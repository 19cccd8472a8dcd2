/**
 * The page's cookie: its name, and how it is set. What is in it: own-credentials.ts.
 *
 * `__Host-` makes the browser insist on Secure, Path=/ and no Domain, so that no sub-domain can plant one.
 * Plain-http loopback can have neither; there the port is in the name, because cookies ignore ports and two
 * relays on one machine would overwrite each other's.
 */

/** Null where no cookie may be used: plain http beyond this machine. */
export function cookieName(url: URL, workspace: string): string | null {
  if (url.protocol === 'https:') return `__Host-holdfast-${workspace}`;
  return isLoopback(url.hostname) ? `holdfast-${url.port || '80'}-${workspace}` : null;
}

export function setCookie(name: string, value: string, maxAgeSeconds: number): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

export function readCookie(header: string | null, name: string): string | null {
  for (const part of (header ?? '').split(';')) {
    const [key, ...value] = part.trim().split('=');
    if (key === name) return value.join('=');
  }
  return null;
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
