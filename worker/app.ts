/**
 * The routes, each declared with who may use it. `routes` is the whole surface: a test walks it with every
 * wrong credential, and a route that is not in it does not exist.
 */
import { type Context, Hono } from 'hono';
import { allowEmbedder, preflight } from './cors.ts';
import { gateSettings } from './env.ts';
import { type Access, admit } from './gate.ts';
import { type App, ask, failure, type Handler } from './http.ts';
import { errorName, log } from './log.ts';
import { login, logout } from './login.ts';
import { page } from './page.ts';
import { revoke } from './revocations.ts';
import { buyTicket } from './tickets.ts';
import { upgrade } from './upgrade.ts';
import { VERSION } from './version.ts';

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  readonly access: Access;
  readonly handle: Handler;
}

const api = '/api/workspaces/:ws';
const people = { roles: ['operator', 'viewer'], credentials: ['bearer', 'cookie'] } as const;

const health: Handler = (c) =>
  ask(
    c,
    (object, caller) => object.health(caller),
    (value) => c.json(value),
  );

const sessions: Handler = (c) => {
  const query = { key: c.req.query('key') ?? null, missingToo: c.req.query('include') === 'lost' };
  return ask(
    c,
    (object, caller) => object.sessions(caller, query),
    (value) => c.json(value),
  );
};

const declared: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    access: 'public',
    // With the time, which `holdfast agent doctor` compares; Cloudflare would add it, workerd alone does not.
    handle: (c) => c.json({ status: 'ok', version: VERSION }, 200, { Date: new Date().toUTCString() }),
  },
  { method: 'GET', path: '/w/:ws', access: 'public', handle: page },
  {
    method: 'POST',
    path: `${api}/login`,
    access: { ...people, credentials: ['bearer', 'ticket'] },
    handle: login,
  },
  { method: 'DELETE', path: `${api}/login`, access: people, handle: logout },
  { method: 'POST', path: `${api}/tickets`, access: people, handle: buyTicket },
  { method: 'POST', path: `${api}/revocations`, access: { ...people, roles: ['operator'] }, handle: revoke },
  { method: 'GET', path: `${api}/health`, access: people, handle: health },
  { method: 'GET', path: `${api}/sessions`, access: people, handle: sessions },
  {
    method: 'GET',
    path: '/ws/workspaces/:ws',
    access: { ...people, credentials: ['bearer', 'cookie', 'ticket'] },
    handle: upgrade,
  },
  {
    method: 'GET',
    path: '/ws/agent/:ws',
    access: { roles: ['agent'], credentials: ['bearer'] },
    handle: upgrade,
  },
];

/** A browser asks before it lets an embedder's page ask: the same for every address of the API. */
const preflights: readonly Route[] = [
  ...new Set(declared.map(({ path }) => path).filter((path) => path.startsWith('/api/'))),
].map((path) => ({ method: 'OPTIONS', path, access: 'public', handle: preflight }));

export const routes: readonly Route[] = [...declared, ...preflights];

export function createApp(): Hono<App> {
  const app = new Hono<App>({ strict: false });
  for (const { method, path, access, handle } of routes) {
    app.on(method, path, (c) => guarded(c, access, handle));
  }
  app.notFound((c) => failure(c, 404, 'not_found', `There is nothing at ${c.req.method} ${c.req.path}.`));
  app.onError((error, c) => {
    log('error', 'unhandled', { route: c.req.routePath, error: errorName(error) });
    return failure(c, 500, 'internal', 'The relay failed. Try again; if it stays, its log says more.');
  });
  return app;
}

async function guarded(c: Context<App>, access: Access, handle: Handler): Promise<Response> {
  if (c.req.path.startsWith('/api/')) allowEmbedder(c);
  if (access === 'public') return handle(c);
  const passage = await admit(c.req.raw, c.req.param('ws') ?? '', access, gateSettings(c.env));
  if (!passage.ok) {
    const code = passage.status === 401 ? 'unauthorized' : passage.status === 403 ? 'forbidden' : 'not_found';
    return failure(c, passage.status, code, passage.message);
  }
  c.set('principal', passage.principal);
  return handle(c);
}
