import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../../protocol/roles.ts';
import { createApp, routes } from '../../../worker/app.ts';
import { signPageCookie } from '../../../worker/gate/own-credentials.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { SECRET, TestRelay } from '../../support/test-relay.ts';
import { PUBLIC_ROUTES } from './public-routes.ts';
import type { Answer } from './refused-request.ts';
import { expectStatus, type Headers, isSocket, type Route, triesOn } from './refused-routes.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.onWorkerd();
});
afterAll(() => relay[Symbol.asyncDispose]());

const guarded = routes.filter((route) => route.access !== 'public');
const rolesOf = ({ access }: (typeof routes)[number]): readonly Role[] =>
  access === 'public' ? [] : access.roles;
/** Those of a workspace. The others are for the relay's owner; owner.test.ts has more about them. */
const withRoles = guarded.filter((route) => rolesOf(route).length > 0);
const forPeople = withRoles.filter((route) => !rolesOf(route).includes('agent'));
const byCookie = guarded.filter(
  ({ access }) => access !== 'public' && (access.credentials as readonly string[]).includes('cookie'),
);
/** Those whose address names the workspace. For the others, the token does. */
const named = guarded.filter(({ access }) => access === 'public' || !('workspace' in access));

const { address, attempt, attempts } = triesOn(() => relay);

/** As a login sets it, made without waking an object. */
async function cookieFor(workspace = relay.workspace): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const claims = { ws: workspace, role: 'operator', exp, jti: 'some-token', iat: exp - 3600 } as const;
  const { cookie } = await signPageCookie(claims, { secret: SECRET }, Date.now());
  return `holdfast-${relay.url.port}-${workspace}=${cookie}`;
}

describe('the gate', () => {
  it('[SEC1] [GT1] knows every route of the router: no route is reachable without a declared access', () => {
    const registered = createApp().routes.map(({ method, path }) => `${method} ${path}`);
    // The check of the address, the headers of every answer, and the count of refusals; what they let through is still
    // nothing.
    const middleware = ['ALL /*', 'ALL /*', 'ALL /*'];
    expect(registered).toEqual([...middleware, ...routes.map(({ method, path }) => `${method} ${path}`)]);
  });

  it('[SEC1] [GT1] makes only these routes public', () => {
    const open = routes.filter(({ access, method }) => access === 'public' && method !== 'OPTIONS');
    expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(PUBLIC_ROUTES);
  });

  const withoutCredential = attempts(guarded, () => [{}]);
  it.each(guarded)(
    '[SEC1] [GT1] $method $path without a credential is 401 with a helpful sentence',
    async (route) => {
      const answers = await withoutCredential(route);
      expectStatus(answers, 401);
      expect(answers[0]?.error.code).toBe('unauthorized');
      expect(answers[0]?.error.message).toMatch(/Open the link|Authorization: Bearer/);
    },
  );

  const withInvalidToken = attempts(guarded, async (route) => {
    const [head, claims] = (await relay.token('operator')).split('.');
    return [
      // A different one each time: what fails too often is no longer checked.
      `nonsense ${route.method} ${route.path}`.replaceAll(/\W/g, '-'),
      `${head}.${claims}.AAAA`,
      await relay.token('operator', relay.workspace, -5),
    ].map((token) => ({ Authorization: `Bearer ${token}` }));
  });
  it.each(guarded)('[SEC1] [GT2] $method $path with an invalid token is 401', async (route) => {
    expectStatus(await withInvalidToken(route), 401);
  });

  it('[GT2] says that an expired token has expired', async () => {
    const [route] = guarded;
    const expired = await relay.token('operator', relay.workspace, -5);
    const { error } = await attempt(route as Route, { Authorization: `Bearer ${expired}` });
    expect(error.message).toMatch(/expired/);
  });

  const withForeignToken = attempts(named, async ({ path }) => [
    await relay.bearer(path.startsWith('/ws/agent') ? 'agent' : 'operator', 'other'),
  ]);
  it.each(named)(
    '[SEC1] [SEC3] [GT3] $method $path with a token of another workspace is 403',
    async (route) => {
      expectStatus(await withForeignToken(route), 403);
    },
  );

  const withAgentToken = attempts(forPeople, async () => [await relay.bearer('agent')]);
  it.each(forPeople)("[SEC1] [SEC5] [GT3] $method $path with the agent's token is 403", async (route) => {
    expectStatus(await withAgentToken(route), 403);
  });

  it("[SEC5] [GT3] the agent's socket with a person's token is 403", async () => {
    const route = guarded.find(({ path }) => path.startsWith('/ws/agent'));
    for (const role of ['operator', 'viewer'] as const) {
      expect((await attempt(route as Route, await relay.bearer(role))).status).toBe(403);
    }
  });

  const withOtherRoles = attempts(withRoles, (route) => {
    const others = (['agent', 'operator', 'viewer'] as const).filter((one) => !rolesOf(route).includes(one));
    return Promise.all(others.map((role) => relay.bearer(role)));
  });
  it.each(withRoles)(
    '[SEC1] [SEC4] [GT3] $method $path is 403 for every role that may not',
    async (route) => {
      expectStatus(await withOtherRoles(route), 403);
    },
  );

  const fromOtherOrigins = attempts(guarded, async (route) => {
    const headers = await relay.bearer(rolesOf(route)[0] ?? 'operator');
    const { host } = relay.url;
    const origins = ['null', 'https://example.com', `http://sub.${host}`, `https://${host}`];
    return origins.map((Origin) => ({ ...headers, Origin }));
  });
  it.each(guarded)(
    '[SEC1] [GT6] $method $path from a page of another origin is 403, even with a token',
    async (route) => {
      expectStatus(await fromOtherOrigins(route), 403);
    },
  );

  const withInvalidTicket = attempts(guarded, async () => [
    { Authorization: `Ticket ${await relay.token('operator')}` },
  ]);
  it.each(guarded)('[GT7] $method $path does not accept an invalid ticket', async (route) => {
    expectStatus(await withInvalidTicket(route), 401);
  });

  const preflights = routes.filter(({ method }) => method === 'OPTIONS');
  const fromUnlistedPages = attempts(preflights, () => [
    {},
    { Origin: 'https://example.com' },
    { Origin: 'null' },
  ]);
  it.each(preflights)('[GT6] $method $path allows no page that is not listed', async (route) => {
    expectStatus(await fromUnlistedPages(route), 403);
  });

  const withoutOurOrigin = attempts(byCookie, async () => {
    const { host, port } = relay.url;
    const Cookie = await cookieFor();
    return [
      {},
      { Origin: 'null' },
      { Origin: 'https://example.com' },
      { Origin: `http://sub.${host}` },
      { Origin: `http://127.0.0.1:${Number(port) + 1}` },
      { Origin: `https://${host}` },
      { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://example.com', 'Sec-Fetch-Site': 'same-site' },
    ].map((headers) => ({ Cookie, ...headers }) as Headers);
  });
  it.each(byCookie)(
    '[SEC1] [GT4] $method $path with our cookie but without our origin is 403',
    async (route) => {
      expectStatus(await withoutOurOrigin(route), 403);
    },
  );

  it('[GT4] a socket or a change must have our origin even if the browser says same-origin', async () => {
    const strict = byCookie.filter((route) => route.method !== 'GET' || isSocket(route));
    const answersOf = attempts(strict, async () => [
      { Cookie: await cookieFor(), 'Sec-Fetch-Site': 'same-origin' },
    ]);
    for (const route of strict) expectStatus(await answersOf(route), 403);
  });

  it('[GT5] an unknown route is 404 and says so', async () => {
    const unknown = ['/', '/index.html', '/api', '/api/workspaces/test', '/ws', '/w/', '/assets/nothing.js'];
    const answers = unknown.map(async (path) => [path, (await fetch(address(path))).status]);
    expect(await Promise.all(answers)).toEqual(unknown.map((path) => [path, 404]));
    const { error } = (await (await fetch(address('/api/nothing'))).json()) as Answer;
    expect(error).toEqual({
      code: 'not_found',
      message: 'There is nothing at GET /api/nothing. The API is described at /api/openapi.json.',
    });
  });

  it('[GT5] a workspace name that no token can contain is 404', async () => {
    const [route] = guarded;
    expect((await attempt(route as Route, await relay.bearer('operator'), 'a%20b')).status).toBe(404);
  });
});

describe('accepted requests', () => {
  it('/health is public and reveals no secret', async () => {
    const response = await fetch(address('/health'));
    expect(await response.json()).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });

  it('login turns a bearer token into a cookie that only our own page can use', async () => {
    const response = await fetch(address('/api/workspaces/:ws/login'), {
      method: 'POST',
      headers: { Authorization: `Bearer ${await relay.token('viewer', 'test', 3_600)}` },
    });
    expect(await response.json()).toMatchObject({ workspace: 'test', role: 'viewer' });
    const cookie = response.headers.get('Set-Cookie') ?? '';
    expect(cookie).toMatch(
      new RegExp(`^holdfast-${relay.url.port}-test=[^;]+; Path=/; Max-Age=900; HttpOnly; SameSite=Strict$`),
    );

    const [pair = ''] = cookie.split(';');
    const health = await fetch(address('/api/workspaces/:ws/health'), {
      headers: { Cookie: pair, 'Sec-Fetch-Site': 'same-origin' },
    });
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ agent: { state: 'offline' }, clients: 0 });

    const socket = await ScriptedPeer.connect(address('/ws/workspaces/:ws'), {
      Cookie: pair,
      Origin: relay.url.origin,
    });
    await socket.message('agent_state');
    await socket[Symbol.asyncDispose]();
  });

  it('signing out deletes the cookie', async () => {
    const response = await fetch(address('/api/workspaces/:ws/login'), {
      method: 'DELETE',
      headers: { Cookie: await cookieFor(), Origin: relay.url.origin },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('Set-Cookie')).toMatch(/=; Path=\/; Max-Age=0;/);
  });

  it.each(['/w/:ws', '/status', '/status/:ws'])(
    '[SEC11] %s has a policy that allows no inline script and no frame around it, and wakes no object',
    async (path) => {
      const before = await relay.constructions();
      const response = await fetch(address(path));
      expect(response.status).toBe(200);
      expect(await relay.constructions()).toBe(before);
      const policy = response.headers.get('Content-Security-Policy') ?? '';
      expect(policy).toMatch(/script-src 'self'(;|$)/);
      expect(policy).toMatch(/frame-ancestors 'none'/);
      expect(response.headers.get('Referrer-Policy')).toBe('no-referrer');
      expect(response.headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
      expect(await response.text()).not.toMatch(/<script(?![^>]*\bsrc=)/);
    },
  );

  it('[F24] [WF8] a socket without a version of ours is refused, an unknown version is reported over the socket', async () => {
    const url = address('/ws/workspaces/:ws');
    const headers = await relay.bearer('operator');
    await expect(ScriptedPeer.connect(url, headers, ['chat'])).rejects.toThrow('refused with 426');
    const newer = await ScriptedPeer.connect(url, headers, ['holdfast.99']);
    expect(await newer.closed).toMatchObject({ code: 4406 });
  });

  it('a plain GET on a socket address is 426', async () => {
    const response = await fetch(address('/ws/workspaces/:ws'), { headers: await relay.bearer('operator') });
    expect(response.status).toBe(426);
  });
});
