/**
 * The routes, each declared with who may use it. `routes` is the whole surface: a test walks it with every
 * wrong credential, and a route that is not in it does not exist.
 */
import { type Context, Hono } from 'hono';
import { type Access, admit } from './gate.ts';
import { type App, failure, type Handler } from './http.ts';
import { login, logout } from './login.ts';
import { page } from './page.ts';
import { upgrade } from './upgrade.ts';
import { VERSION } from './version.ts';

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly access: Access;
  readonly handle: Handler;
}

const anybodyHere = { roles: ['operator', 'viewer'] } as const;

export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    access: 'public',
    handle: (c) => c.json({ status: 'ok', version: VERSION }),
  },
  { method: 'GET', path: '/w/:ws', access: 'public', handle: page },
  {
    method: 'POST',
    path: '/api/workspaces/:ws/login',
    access: { ...anybodyHere, credential: 'bearer' },
    handle: login,
  },
  { method: 'DELETE', path: '/api/workspaces/:ws/login', access: anybodyHere, handle: logout },
  { method: 'GET', path: '/api/workspaces/:ws/health', access: anybodyHere, handle: workspaceHealth },
  { method: 'GET', path: '/ws/workspaces/:ws', access: anybodyHere, handle: upgrade },
  {
    method: 'GET',
    path: '/ws/agent/:ws',
    access: { roles: ['agent'], credential: 'bearer' },
    handle: upgrade,
  },
];

export function createApp(): Hono<App> {
  const app = new Hono<App>();
  for (const { method, path, access, handle } of routes) {
    app.on(method, path, (c) => guarded(c, access, handle));
  }
  app.notFound((c) => failure(c, 404, 'not_found', `There is nothing at ${c.req.method} ${c.req.path}.`));
  app.onError((error, c) => {
    console.error(
      JSON.stringify({ level: 'error', event: 'unhandled', route: c.req.routePath, error: error.name }),
    );
    return failure(c, 500, 'internal', 'The relay failed. Try again; if it stays, its log says more.');
  });
  return app;
}

async function guarded(c: Context<App>, access: Access, handle: Handler): Promise<Response> {
  if (access === 'public') return handle(c);
  const passage = await admit(c.req.raw, c.req.param('ws') ?? '', access, c.env.RELAY_SECRET);
  if (!passage.ok) {
    const code = passage.status === 401 ? 'unauthorized' : passage.status === 403 ? 'forbidden' : 'not_found';
    return failure(c, passage.status, code, passage.message);
  }
  c.set('principal', passage.principal);
  return handle(c);
}

async function workspaceHealth(c: Context<App>): Promise<Response> {
  return c.json(await c.env.WORKSPACE.getByName(c.var.principal.workspace).health());
}
