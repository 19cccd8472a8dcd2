/**
 * Sets the headers of every answer. Unless a route says otherwise, nothing is cached, sniffed for its type or embedded
 * elsewhere, and no referrer is sent. An upgraded socket (101) is left alone.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { isLoopback } from '../gate/cookie.ts';
import { ownAddress } from '../gate/own-address.ts';
import { gateSettings } from './env.ts';
import type { App } from './http.ts';

/** Half a year. Subdomains are excluded, because they may belong to somebody else. */
const HSTS = 'max-age=15552000';

/**
 * For the hashed files under /assets/. web/public/_headers says the same for hosts that serve them without the Worker.
 */
export const ASSET_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export const responseHeaders: MiddlewareHandler<App> = async (c, next) => {
  await next();
  if (c.res.status === 101 || isStaticFile(c)) return;
  const { headers } = c.res;
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Referrer-Policy', 'no-referrer');
  const isForEmbedder = headers.has('Access-Control-Allow-Origin');
  headers.set('Cross-Origin-Resource-Policy', isForEmbedder ? 'cross-origin' : 'same-origin');
  if (isHttpsOnly(c)) headers.set('Strict-Transport-Security', HSTS);
};

/**
 * worker/static-files sets its own headers, because a response from a binding is immutable. Only for requests that were
 * routed there: another path may become `/assets/…` when `..` or a backslash in it is resolved.
 */
function isStaticFile({ req }: Context<App>): boolean {
  // Hono's pattern `/assets/*` includes `/assets`, which is the path of `/assets/`.
  const isRouted = /^(?:GET|HEAD)$/.test(req.method) && /^\/assets(?:\/|$)/.test(req.path);
  return isRouted && URL.parse(req.url)?.pathname.startsWith('/assets/') === true;
}

/** Browsers remember HSTS for every port of a host name, so `localhost` must never get it. */
function isHttpsOnly(c: Context<App>): boolean {
  // The Host header may be no address; see `hasAddress` in app.ts.
  if (!URL.canParse(c.req.url)) return false;
  const { protocol, hostname } = ownAddress(c.req.url, gateSettings(c.env).publicUrl);
  return protocol === 'https:' && !isLoopback(hostname) && !hostname.endsWith('.localhost');
}
