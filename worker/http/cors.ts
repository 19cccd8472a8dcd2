/** CORS headers for embedders' pages: only for origins in RELAY_ORIGINS, and never with cookies. [GT6] */
import type { Context } from 'hono';
import { originOf } from '../gate/origins.ts';
import { gateSettings } from './env.ts';
import { type App, failure, type Handler } from './http.ts';

/** How long a browser may cache a preflight answer. */
const PREFLIGHT_MAX_AGE_S = 3600;

export function allowEmbedder(c: Context<App>): void {
  c.header('Vary', 'Origin');
  const asking = originOf(c.req.raw, gateSettings(c.env));
  if (asking.kind === 'embedder') c.header('Access-Control-Allow-Origin', asking.origin);
}

export const preflight: Handler = (c) => {
  const asking = originOf(c.req.raw, gateSettings(c.env));
  if (asking.kind !== 'embedder')
    return failure(c, 403, 'forbidden', 'RELAY_ORIGINS does not list this origin.');
  c.header('Access-Control-Allow-Methods', 'GET, POST, PATCH, DELETE');
  c.header(
    'Access-Control-Allow-Headers',
    'Authorization, Content-Type, Idempotency-Key, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
  );
  c.header('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_S));
  return c.body(null, 204);
};
