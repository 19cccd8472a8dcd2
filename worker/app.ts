/**
 * The route table of the relay. Each route declares who may use it. `routes` is the complete list: a test requests
 * every entry with every kind of wrong credential, and a path that is not listed does not exist.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { showMachineAudit } from './api/audit.ts';
import { showOpenapi } from './api/openapi.ts';
import { apiRoutes } from './api/routes.ts';
import { AuthFailures } from './gate/auth-failures.ts';
import { admit } from './gate/gate.ts';
import {
  type Access,
  operatorsAndOwner,
  owner,
  ownerPage,
  people,
  peopleAndGuests,
  peopleOfAllSessions,
} from './gate/passage.ts';
import { apiErrorOf } from './http/api-error.ts';
import { drainBody } from './http/body.ts';
import { allowEmbedder, preflight } from './http/cors.ts';
import { gateSettings } from './http/env.ts';
import { requestWay } from './http/give-way.ts';
import {
  type App,
  askerOf,
  callWorkspace,
  failure,
  type Handler,
  isOfOwner,
  type Route,
} from './http/http.ts';
import { manifest, serviceWorker } from './http/installed-page.ts';
import { login, logout, showChallenge } from './http/login.ts';
import { listInvites, makeInvite, takeInviteBack } from './http/owner/invites.ts';
import { join } from './http/owner/join.ts';
import { listMachines, makeLink, removeMachine, renameMachine } from './http/owner/machines.ts';
import { makeOwnerLink, ownerLogin, ownerLogout, showOwnerChallenge } from './http/owner/owner-login.ts';
import { watchMachines } from './http/owner/watch-machines.ts';
import { home, nothingAt, page, staticFile, statusPage } from './http/page.ts';
import { responseHeaders } from './http/response-headers.ts';
import { listRevocations, revoke, undoRevocation } from './http/revocations.ts';
import { routePath } from './http/route-path.ts';
import { issueDeviceCode, issueTicket } from './http/tickets.ts';
import { upgrade } from './http/upgrade.ts';
import { robotsTxt, securityTxt } from './http/well-known.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { LateRefusals } from './metering/late-refusals.ts';
import { PublicPace } from './metering/public-pace.ts';
import { requestPace } from './metering/request-pace.ts';
import { errorName, log } from './platform/log.ts';
import { PRODUCT_VERSION } from './platform/version.ts';

const api = '/api/workspaces/:ws';

const health: Handler = async (c) =>
  c.json(await callWorkspace(c, (object, caller) => object.health(caller)));

const declared: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    access: 'public',
    // `holdfast agent doctor` compares clocks by the Date header. Cloudflare adds it, but plain workerd does not.
    handle: (c) =>
      c.json({ status: 'ok', version: PRODUCT_VERSION }, 200, { Date: new Date().toUTCString() }),
  },
  { method: 'GET', path: '/', access: 'public', handle: home },
  { method: 'GET', path: '/robots.txt', access: 'public', handle: robotsTxt },
  { method: 'GET', path: '/.well-known/security.txt', access: 'public', handle: securityTxt },
  { method: 'GET', path: '/w/:ws', access: 'public', handle: page },
  { method: 'GET', path: '/w/:ws/manifest.webmanifest', access: 'public', handle: manifest },
  { method: 'GET', path: '/w/:ws/service-worker.js', access: 'public', handle: serviceWorker },
  { method: 'GET', path: '/assets/*', access: 'public', handle: staticFile },
  { method: 'GET', path: '/status', access: 'public', handle: statusPage },
  { method: 'GET', path: '/status/:ws', access: 'public', handle: statusPage },
  {
    method: 'POST',
    path: `${api}/login`,
    access: { ...peopleAndGuests, credentials: ['bearer', 'ticket', 'renewal', 'code', 'share'] },
    handle: login,
  },
  { method: 'GET', path: `${api}/login/challenge`, access: 'public', handle: showChallenge },
  { method: 'DELETE', path: `${api}/login`, access: peopleAndGuests, handle: logout },
  // Cookies are not accepted here. A ticket can log in, so a stolen cookie could otherwise be extended until its token
  // expires.
  {
    method: 'POST',
    path: `${api}/tickets`,
    access: { ...peopleAndGuests, credentials: ['bearer'] },
    handle: issueTicket,
  },
  {
    method: 'POST',
    path: `${api}/device-codes`,
    access: { ...people, credentials: ['bearer', 'renewal'] },
    handle: issueDeviceCode,
  },
  { method: 'GET', path: `${api}/revocations`, access: operatorsAndOwner, handle: listRevocations },
  { method: 'POST', path: `${api}/revocations`, access: operatorsAndOwner, handle: revoke },
  { method: 'DELETE', path: `${api}/revocations/:jti`, access: operatorsAndOwner, handle: undoRevocation },
  { method: 'POST', path: '/api/join', access: { ...owner, credentials: ['invite'] }, handle: join },
  // Only the key itself buys a link: a stolen cookie could otherwise be made to last.
  {
    method: 'POST',
    path: '/api/owner/links',
    access: { ...owner, credentials: ['owner'] },
    handle: makeOwnerLink,
  },
  {
    method: 'POST',
    path: '/api/owner/login',
    // Not with the cookie: a stolen one could otherwise renew itself.
    access: { ...owner, credentials: ['owner_link', 'owner_renewal'] },
    handle: ownerLogin,
  },
  { method: 'GET', path: '/api/owner/login/challenge', access: 'public', handle: showOwnerChallenge },
  { method: 'DELETE', path: '/api/owner/login', access: owner, handle: ownerLogout },
  { method: 'GET', path: '/api/owner/invites', access: owner, handle: listInvites },
  { method: 'POST', path: '/api/owner/invites', access: owner, handle: makeInvite },
  { method: 'DELETE', path: '/api/owner/invites/:id', access: owner, handle: takeInviteBack },
  { method: 'GET', path: '/api/owner/machines', access: owner, handle: listMachines },
  { method: 'PATCH', path: '/api/owner/machines/:machine', access: owner, handle: renameMachine },
  { method: 'DELETE', path: '/api/owner/machines/:machine', access: owner, handle: removeMachine },
  { method: 'GET', path: '/api/owner/machines/:machine/audit', access: owner, handle: showMachineAudit },
  { method: 'POST', path: '/api/owner/machines/:machine/links', access: owner, handle: makeLink },
  { method: 'GET', path: `${api}/health`, access: peopleOfAllSessions, handle: health },
  { method: 'GET', path: '/api/openapi.json', access: 'public', handle: showOpenapi },
  ...apiRoutes,
  {
    method: 'POST',
    path: '/mcp',
    access: {
      roles: people.roles,
      credentials: ['bearer'],
      workspace: 'of the token',
      guests: 'also with one session',
    },
    handle: serveMcp,
  },
  {
    method: 'GET',
    path: '/ws/workspaces/:ws',
    access: { ...peopleAndGuests, credentials: ['bearer', 'cookie', 'ticket'] },
    handle: upgrade,
  },
  { method: 'GET', path: '/ws/owner', access: ownerPage, handle: watchMachines },
  {
    method: 'GET',
    path: '/ws/agent/:ws',
    access: { roles: ['agent'], credentials: ['bearer'] },
    handle: upgrade,
  },
];

function isForEmbedders(path: string): boolean {
  return path.startsWith('/api/') || path === '/mcp';
}

/**
 * CORS preflight requests. Browsers send one before a request from an embedder's page; every API path answers the same
 * way.
 */
const preflights: readonly Route[] = [
  ...new Set(declared.map(({ path }) => path).filter(isForEmbedders)),
].map((path) => ({ method: 'OPTIONS', path, access: 'public', handle: preflight }));

export const routes: readonly Route[] = [...declared, ...preflights];

export function createApp(): Hono<App> {
  const app = new Hono<App>({ getPath: routePath });
  const failures = new AuthFailures();
  const refusals = new LateRefusals();
  const strangers = new PublicPace();
  // Around everything else: an answer that is not paced lets its sender have the relay for itself. [RL24]
  app.use(async (c, next) => {
    c.set('authFailures', failures);
    await requestWay.enter(c.req.path);
    await next();
    // The gate accepted the credential but the workspace did not: the token was revoked, or the ticket was already
    // used.
    if (c.res.status === 401 && c.get('principal') !== undefined) failures.count('revoked');
    const now = Date.now();
    const publicMs = c.get('principal') === undefined ? strangers.delayMs(now) : 0;
    const delayMs = Math.max(publicMs, refusals.delayMs(c.res.status, now));
    if (delayMs > 0) await pause(delayMs);
  });
  app.use(responseHeaders);
  app.use(hasAddress);
  for (const { method, path, access, handle } of routes) {
    app.on(method, path, (c) => (isIdleHead(c, access) ? nothingThere(c) : guarded(c, access, handle)));
  }
  app.notFound(nothingThere);
  app.onError(async (error, c) => {
    const expected = apiErrorOf(error);
    if (expected !== undefined) {
      await drainBody(c.req.raw, c.get('principal')?.workspace ?? null);
      retryAfter(c, expected.retryAfterMs);
      return failure(c, expected.status, expected.code, expected.message);
    }
    log('error', 'unhandled', { route: c.req.routePath, error: errorName(error) });
    return failure(c, 500, 'internal', 'The relay failed. Try again; if this persists, see its log.');
  });
  return app;
}

/** The runtime passes on a Host header that is no address. Everything else may take the request's address for valid. */
const hasAddress: MiddlewareHandler<App> = async (c, next) =>
  URL.canParse(c.req.url) ? next() : failure(c, 400, 'bad_request', 'The Host header is not an address.');

/**
 * Hono runs the GET handler for a HEAD request and drops the body, so cleanup that depends on the body never runs. Some
 * guarded handlers open a connection to the workspace, so guarded routes refuse HEAD.
 */
function isIdleHead(c: Context<App>, access: Access): boolean {
  return c.req.method === 'HEAD' && access !== 'public';
}

/** Answers a path that no route matches. Lists the allowed methods when only the method is wrong. */
async function nothingThere(c: Context<App>): Promise<Response> {
  await drainBody(c.req.raw, null);
  const parts = partsOf(c.req.path);
  const methods = declaredParts.filter(({ wanted }) => isAt(wanted, parts)).map(({ method }) => method);
  if (methods.length === 0) return nothingAt(c);
  c.header('Allow', methods.join(', '));
  return failure(c, 405, 'method_not_allowed', `${c.req.path} takes ${methods.join(', ')}.`);
}

const partsOf = (path: string): readonly string[] => path.replace(/\/$/, '').split('/');

const declaredParts = routes.map(({ method, path }) => ({ method, wanted: partsOf(path) }));

function isAt(wanted: readonly string[], parts: readonly string[]): boolean {
  const isOfLength = wanted.at(-1) === '*' ? parts.length >= wanted.length : parts.length === wanted.length;
  return isOfLength && wanted.every((part, i) => part === '*' || part.startsWith(':') || part === parts[i]);
}

const CODES = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'too_many_attempts',
} as const;

function retryAfter(c: Context<App>, ms: number | undefined): void {
  if (ms !== undefined) c.header('Retry-After', String(Math.ceil(ms / 1000)));
}

async function guarded(c: Context<App>, access: Access, handle: Handler): Promise<Response> {
  if (isForEmbedders(c.req.path)) allowEmbedder(c);
  if (access === 'public') return handle(c);
  // `/terminal/ws` names its workspace in the query, `/mcp` not at all; all other routes name it in the path.
  const named = c.req.param('ws') ?? c.req.query('workspace') ?? '';
  const workspace = 'workspace' in access ? '' : named;
  const { authFailures } = c.var;
  const passage = await admit(c.req.raw, workspace, access, gateSettings(c.env), authFailures);
  if (!passage.ok) {
    if (passage.reason !== null) authFailures.count(passage.reason);
    await drainBody(c.req.raw, null);
    const { status, message, retryAfterMs } = passage;
    retryAfter(c, retryAfterMs);
    return failure(c, status, CODES[status], message);
  }
  const turn = requestPace.enter(askerOf(passage.principal), Date.now());
  if (!turn.ok) {
    await drainBody(c.req.raw, passage.principal.workspace);
    retryAfter(c, turn.retryAfterMs);
    return failure(
      c,
      429,
      'too_many_requests',
      'This token or workspace makes too many requests. Wait, then send fewer.',
    );
  }
  if (!('workspace' in access) && isOfOwner(passage.principal))
    requestPace.charge(askerOf(passage.principal), { workspaces: 1 }, Date.now());
  if (turn.waitMs > 0) await pause(turn.waitMs);
  c.set('principal', passage.principal);
  return handle(c);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
