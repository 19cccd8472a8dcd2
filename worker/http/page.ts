/**
 * The page of a workspace, the status page, and what people see at any other address. They are public and say nothing;
 * what they show comes through the gate.
 */
import type { Context } from 'hono';
import type { App } from './http.ts';
import { failure, type Handler } from './http.ts';

/** No inline script, no frame around us, nothing from elsewhere. xterm's DOM renderer needs inline styles. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page uses the clipboard, and nothing else that a browser asks people about. */
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

/** `/`: for people a page with a field for a link; for programs the answer that any unknown address has. */
export const home: Handler = (c) => (isForPeople(c) ? page(c) : nothingFor(c));

/** An address that leads nowhere, in words for whoever asks. */
export function nothingAt(c: Context<App>): Response | Promise<Response> {
  return isForPeople(c) ? pageNotFound(c) : nothingFor(c);
}

function nothingFor(c: Context<App>): Response {
  c.header('Vary', 'Accept');
  const message = `There is nothing at ${c.req.method} ${c.req.path}. The API is described at /api/openapi.json.`;
  return failure(c, 404, 'not_found', message);
}

/** A browser that goes to an address says that it wants HTML; scripts, curl and API clients do not. */
function isForPeople(c: Context<App>): boolean {
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  const isPagePath = !/^\/(api|ws|assets)\//.test(c.req.path);
  return isRead && isPagePath && (c.req.header('Accept') ?? '').includes('text/html');
}

/**
 * On Cloudflare the platform answers these before the Worker is asked (`run_worker_first` in wrangler.toml).
 *
 * The router matches the path as it was sent, and `%2e%2e` in it is `..` to everybody else: the pages themselves must
 * not be had without the headers above.
 */
export const staticFile: Handler = (c) =>
  new URL(c.req.url).pathname.startsWith('/assets/')
    ? c.env.ASSETS.fetch(c.req.raw)
    : failure(c, 404, 'not_found', 'There is nothing at this address.');
