/**
 * The page cookie's name and attributes. Its content is in own-credentials.ts.
 *
 * With the `__Host-` prefix the browser requires Secure, Path=/ and no Domain, so no subdomain can set the cookie.
 * Loopback over plain http cannot use the prefix. There the port is part of the name, because cookies ignore ports and
 * two relays on one machine would overwrite each other's cookie.
 */

/** Null where cookies must not be used: plain http beyond this machine. */
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
