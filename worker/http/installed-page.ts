/**
 * What a browser needs beside the page to install it and to show notifications while it is closed: the manifest, and the
 * service worker. Both are public and contain no data; each workspace has its own, so that each can be installed and has
 * its own notifications.
 */
import type { Context } from 'hono';
import { WORKSPACE_NAME } from '../../protocol/token.ts';
import { type App, failure, type Handler } from './http.ts';

/** The colour of the page's header in the dark theme, which is also that of the icon. */
const COLOUR = '#1a1e25';

/** In web/public. Their names change with their content, because browsers keep them for a year. */
const ICONS = [
  { src: '/assets/icon-1-192.png', sizes: '192x192', type: 'image/png' },
  { src: '/assets/icon-1-512.png', sizes: '512x512', type: 'image/png' },
  { src: '/assets/icon-1-maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
];

const placeOf = (c: Context<App>): string | null => {
  const workspace = c.req.param('ws') ?? '';
  return WORKSPACE_NAME.test(workspace) ? `/w/${workspace}` : null;
};

const nowhere = (c: Context<App>) => failure(c, 404, 'not_found', 'This is not a valid workspace name.');

export const manifest: Handler = (c) => {
  const place = placeOf(c);
  if (place === null) return nowhere(c);
  const text = JSON.stringify({
    id: place,
    name: `Holdfast · ${place.slice('/w/'.length)}`,
    short_name: place.slice('/w/'.length),
    start_url: place,
    scope: place,
    display: 'standalone',
    background_color: COLOUR,
    theme_color: COLOUR,
    icons: ICONS,
  });
  return c.body(text, 200, { 'Content-Type': 'application/manifest+json', 'Cache-Control': 'no-cache' });
};

/**
 * The script is beside the page, and so may not rule over it by itself: `/w/local` is not below `/w/local/`. It loads
 * nothing, and its policy lets it load nothing.
 */
export const serviceWorker: Handler = async (c) => {
  const place = placeOf(c);
  if (place === null) return nowhere(c);
  const file = await c.env.ASSETS.fetch(new URL('/service-worker.js', c.req.url));
  return new Response(file.body, {
    status: file.status,
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Service-Worker-Allowed': place,
      'Content-Security-Policy': "default-src 'none'",
      'Cache-Control': 'no-cache',
    },
  });
};
