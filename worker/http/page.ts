/**
 * Serves the workspace page, the status page and the not-found page. They are public and contain no data; everything
 * they show is requested through the gate.
 */
import type { Context } from 'hono';
import type { App } from './http.ts';
import { failure, type Handler } from './http.ts';

/** No inline scripts, no framing, nothing from other origins. xterm's DOM renderer needs inline styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page needs the clipboard, and no other permission. */
const PERMISSIONS_POLICY = [
  'clipboard-read=(self)',
  'clipboard-write=(self)',
  ...[
    'accelerometer',
    'autoplay',
    'bluetooth',
    'camera',
    'display-capture',
    'encrypted-media',
    'fullscreen',
    'geolocation',
    'gyroscope',
    'hid',
    'idle-detection',
    'local-fonts',
    'magnetometer',
    'microphone',
    'midi',
    'payment',
    'picture-in-picture',
    'publickey-credentials-get',
    'screen-wake-lock',
    'serial',
    'usb',
    'web-share',
    'xr-spatial-tracking',
  ].map((feature) => `${feature}=()`),
].join(', ');

const served =
  (path: '/index.html' | '/status.html', status = 200): Handler =>
  async (c) => {
    const file = await c.env.ASSETS.fetch(new URL(path, c.req.url));
    return new Response(file.body, {
      status: file.ok ? status : file.status,
      headers: {
        Vary: 'Accept',
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Permissions-Policy': PERMISSIONS_POLICY,
        'X-Frame-Options': 'DENY',
        'Cache-Control': 'no-cache',
      },
    });
  };

export const page = served('/index.html');
export const statusPage = served('/status.html');
const pageNotFound = served('/index.html', 404);

/** `/`: a browser gets a page with a field to paste a link; a program gets the answer of any unknown address. */
export const home: Handler = (c) => (isForPeople(c) ? page(c) : nothingFor(c));

/** The answer for an unknown address: a page for browsers, an error for programs. */
export function nothingAt(c: Context<App>): Response | Promise<Response> {
  return isForPeople(c) ? pageNotFound(c) : nothingFor(c);
}

function nothingFor(c: Context<App>): Response {
  c.header('Vary', 'Accept');
  const message = `There is nothing at ${c.req.method} ${c.req.path}. The API is described at /api/openapi.json.`;
  return failure(c, 404, 'not_found', message);
}

/** A browser that navigates asks for HTML; scripts, curl and API clients do not. */
function isForPeople(c: Context<App>): boolean {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  const isPagePath = !/^\/(api|ws|assets)\//.test(c.req.path);
  return isRead && isPagePath && (c.req.header('Accept') ?? '').includes('text/html');
}

/**
 * On Cloudflare the platform serves these files before the Worker runs (`run_worker_first` in wrangler.toml).
 *
 * The router matches the path as it was sent, but `%2e%2e` in it later resolves to `..`. The check keeps the pages
 * themselves from being served without the headers above.
 */
export const staticFile: Handler = (c) =>
  new URL(c.req.url).pathname.startsWith('/assets/')
    ? c.env.ASSETS.fetch(c.req.raw)
    : failure(c, 404, 'not_found', 'There is nothing at this address.');
