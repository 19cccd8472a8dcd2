/**
 * The page cookie's name and attributes. Its content is in own-credentials.ts.
 *
 * With the `__Host-` prefix the browser requires Secure, Path=/ and no Domain, so no subdomain can set the cookie.
 * Loopback over plain http cannot use the prefix. There the port is part of the name, because cookies ignore ports and
 * two relays on one machine would overwrite each other's cookie.
 */
import { COOKIES_TRIED_MAX } from '../../protocol/limits.ts';

/** Null where cookies must not be used: plain http beyond this machine. */
export function cookieName(url: URL, workspace: string): string | null {
  if (url.protocol === 'https:') return `__Host-holdfast-${workspace}`;
  return isLoopback(url.hostname) ? `holdfast-${url.port || '80'}-${workspace}` : null;
}

export function setCookie(name: string, value: string, maxAgeSeconds: number): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * The cookies of this name, in the order in which they were sent. There may be several: a server on another port of the
 * host can set the same name with a longer path, and browsers send those first.
 */
export function readCookies(header: string | null, name: string): readonly string[] {
  const cookies = (header ?? '').split(';').flatMap((part) => {
    const [key, ...value] = part.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
  return cookies.slice(0, COOKIES_TRIED_MAX);
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
