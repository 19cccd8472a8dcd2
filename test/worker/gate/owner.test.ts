/** The relay's owner: proofs of the key, links that work once, the cookie, and what each may do. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepOwner, type RelayOwner, replaceOwner } from '../../../cli/owner/owner-key.ts';
import { FLEET_CODES_MAX, FLEET_COOKIE_CODES_MAX } from '../../../protocol/limits.ts';
import { routes } from '../../../worker/app.ts';
import { makeFleetCode } from '../../../worker/gate/fleet-code.ts';
import { signOwnerCookie } from '../../../worker/gate/owner.ts';
import { SECRET, TestRelay } from '../../support/test-relay.ts';

let dir: string;
let owner: RelayOwner;
let stranger: RelayOwner;
let relay: TestRelay;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-owner-'));
  owner = await keepOwner(join(dir, 'owner'));
  stranger = await keepOwner(join(dir, 'stranger'));
  relay = await TestRelay.onWorkerd({ settings: { RELAY_OWNER_KEY: owner.publicKey } });
});
afterAll(async () => {
  await relay[Symbol.asyncDispose]();
  await rm(dir, { recursive: true });
});

interface Reply {
  readonly status: number;
  readonly body: { readonly error: { readonly code: string; readonly message: string } } & Record<
    string,
    string
  >;
  readonly headers: Headers;
}

async function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Reply> {
  const response = await fetch(new URL(path, relay.url), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : JSON.parse(text),
    headers: response.headers,
  } as Reply;
}

const proof = (of = owner, origin = relay.url.origin) => ({ Authorization: `Owner ${of.prove(origin)}` });

/** As a page of our own sends it. */
async function cookie(key = owner.publicKey, now = Date.now()): Promise<Record<string, string>> {
  const signed = await signOwnerCookie(key, { secret: SECRET }, now);
  return { Cookie: `holdfast-${relay.url.port}.owner=${signed.cookie}`, Origin: relay.url.origin };
}

const ownerRoutes = routes.filter(({ access }) => {
  const kinds: readonly string[] = access === 'public' ? [] : access.credentials;
  return kinds.some((kind) => kind.startsWith('owner') || kind === 'invite');
});
const named = (path: string) => path.replace(/:ws|:machine/, 'test').replace(/:\w+/, 'some-token');

describe("the routes of the relay's owner", () => {
  it('[SEC25] [GT14] are these', () => {
    const rows = ownerRoutes.map(({ method, path, access }) => {
      const kinds = access === 'public' ? [] : access.credentials;
      return `${method} ${path}: ${kinds.join(' ')}`;
    });
    expect(rows.sort()).toEqual([
      'DELETE /api/owner/invites/:id: owner owner_cookie',
      'DELETE /api/owner/login: owner owner_cookie',
      'DELETE /api/owner/machines/:machine: owner owner_cookie',
      'DELETE /api/workspaces/:ws/revocations/:jti: bearer cookie owner owner_cookie',
      'DELETE /api/workspaces/:ws/share-links/:link: bearer cookie owner owner_cookie',
      'GET /api/owner/invites: owner owner_cookie',
      'GET /api/owner/machines/:machine/audit: owner owner_cookie',
      'GET /api/owner/machines: owner owner_cookie',
      'GET /api/workspaces/:ws/audit: bearer cookie owner owner_cookie',
      'GET /api/workspaces/:ws/revocations: bearer cookie owner owner_cookie',
      'GET /api/workspaces/:ws/share-links: bearer cookie owner owner_cookie',
      'GET /ws/owner: owner_cookie',
      'PATCH /api/owner/machines/:machine: owner owner_cookie',
      'POST /api/join: invite',
      'POST /api/owner/invites: owner owner_cookie',
      'POST /api/owner/links: owner',
      'POST /api/owner/login: owner_link owner_renewal',
      'POST /api/owner/machines/:machine/links: owner owner_cookie',
      'POST /api/workspaces/:ws/revocations: bearer cookie owner owner_cookie',
      'POST /api/workspaces/:ws/share-links: bearer renewal owner',
    ]);
  });

  it.each(ownerRoutes)(
    '[SEC25] [GT14] $method $path refuses wrong proofs and cookies, and wakes nothing',
    async (route) => {
      const before = await relay.counts();
      const late = await cookie(owner.publicKey, Date.now() - 3_600_000);
      for (const headers of [
        proof(stranger),
        proof(owner, 'https://other.example'),
        { Authorization: `Owner ${'x'.repeat(200)}` },
        { Authorization: `Bearer ${owner.prove(relay.url.origin)}` },
        await cookie(stranger.publicKey),
        late,
        { ...(await cookie()), Origin: 'https://example.com' },
        { Authorization: `Invite ${'A'.repeat(43)}` },
        { Authorization: `Link ${'A'.repeat(43)}` },
        { Authorization: `Code ${'A'.repeat(43)}` },
        { Authorization: `Owner-Renewal ${'A'.repeat(43)}~A~A`, Origin: relay.url.origin },
      ]) {
        const { status } = await ask(route.method, named(route.path), headers);
        expect([401, 403]).toContain(status);
      }
      expect(await relay.counts()).toEqual(before);
    },
  );

  it('[GT14] a relay without an owner has none of them, and says how to get one', async () => {
    const other = await TestRelay.onWorkerd();
    const response = await fetch(new URL('/api/owner/machines', other.url), {
      headers: { Authorization: `Owner ${owner.prove(other.url.origin)}` },
    });
    expect(response.status).toBe(401);
    expect(await response.text()).toContain('This relay has no owner');
    await other[Symbol.asyncDispose]();
  });

  it('[F35] [GT14] a proof of a machine whose clock is off by an hour is refused with a sentence that says so', async () => {
    const { error } = (await ask('GET', '/api/owner/machines', await shifted(3_600_000))).body;
    expect(error.message).toMatch(/clock/);
    const behind = (await ask('GET', '/api/owner/machines', await shifted(-3_600_000))).body;
    expect(behind.error.message).toMatch(/clock/);
  });
});

/** A proof by a machine whose clock is off. */
async function shifted(ms: number): Promise<Record<string, string>> {
  const now = Date.now;
  Date.now = () => now() + ms;
  try {
    return proof();
  } finally {
    Date.now = now;
  }
}

describe("the owner's link", () => {
  it('[GT14] is bought with the key only, works once, and buys the cookie', async () => {
    expect((await ask('POST', '/api/owner/links', await cookie())).status).toBe(401);
    const { status, body } = await ask('POST', '/api/owner/links', proof());
    expect([status, body.code?.length]).toEqual([201, 43]);
    const own = { Authorization: `Link ${body.code}`, Origin: relay.url.origin };
    const login = await ask('POST', '/api/owner/login', own);
    expect(login.status).toBe(200);
    expect(login.headers.get('Set-Cookie')).toMatch(
      new RegExp(
        `^holdfast-${relay.url.port}\\.owner=[^;]+; Path=/; Max-Age=900; HttpOnly; SameSite=Strict$`,
      ),
    );
    const [pair = ''] = (login.headers.get('Set-Cookie') ?? '').split(';');
    const machines = await ask('GET', '/api/owner/machines', { Cookie: pair, Origin: relay.url.origin });
    expect(machines.body).toEqual({ machines: [] });
    const again = await ask('POST', '/api/owner/login', own);
    expect([again.status, again.body.error.message]).toEqual([401, expect.stringMatching(/has been used/)]);
  });

  it('[GT14] is refused when it has expired, and as an invite', async () => {
    const late = Date.now() - 601_000;
    const { code } = await makeFleetCode('owner link', owner.publicKey, 600, { secret: SECRET }, late);
    const { body } = await ask('POST', '/api/owner/login', { Authorization: `Link ${code}` });
    expect(body.error.message).toMatch(/has expired/);
    const link = await ask('POST', '/api/owner/links', proof());
    const joined = await ask('POST', '/api/join', { Authorization: `Invite ${link.body.code}` }, {});
    expect([joined.status, joined.body.error.message]).toEqual([401, expect.stringMatching(/not an invite/)]);
  });

  it('[GT14] and the cookie of a replaced owner are worth nothing', async () => {
    const next = await replaceOwner(join(dir, 'next'), relay.url);
    const other = await TestRelay.onWorkerd({ settings: { RELAY_OWNER_KEY: next.publicKey } });
    const { code } = await makeFleetCode('owner link', owner.publicKey, 600, { secret: SECRET }, Date.now());
    const response = await fetch(new URL('/api/owner/login', other.url), {
      method: 'POST',
      headers: { Authorization: `Link ${code}` },
    });
    expect(response.status).toBe(401);
    const signed = await signOwnerCookie(owner.publicKey, { secret: SECRET }, Date.now());
    const machines = await fetch(new URL('/api/owner/machines', other.url), {
      headers: { Cookie: `holdfast-${other.url.port}.owner=${signed.cookie}`, Origin: other.url.origin },
    });
    expect(machines.status).toBe(401);
    await other[Symbol.asyncDispose]();
  });

  it('[GT14] signing out deletes the cookie', async () => {
    const { status, headers } = await ask('DELETE', '/api/owner/login', await cookie());
    expect(status).toBe(204);
    expect(headers.get('Set-Cookie')).toMatch(/\.owner=; Path=\/; Max-Age=0;/);
  });
});

describe('the owner', () => {
  it('[GT14] makes links for people of any workspace; with a cookie, for a working day at most', async () => {
    const wanted = { role: 'viewer', seconds: 30 * 24 * 3600, name: 'Ann' };
    const path = '/api/owner/machines/build-7/links';
    const byKey = await ask('POST', path, proof(), wanted);
    expect([byKey.status, byKey.body.role]).toEqual([201, 'viewer']);
    const health = await ask('GET', '/api/workspaces/build-7/health', {
      Authorization: `Bearer ${byKey.body.token}`,
    });
    expect(health.status).toBe(200);
    const byCookie = await ask('POST', path, await cookie(), wanted);
    const lifetimes = [byKey, byCookie].map(({ body }) =>
      Math.round((Date.parse(body.expiresAt ?? '') - Date.now()) / 3_600_000),
    );
    expect(lifetimes).toEqual([30 * 24, 12]);
    for (const bad of [{ role: 'agent', seconds: 600 }, { role: 'viewer', seconds: 30 * 24 * 3600 + 1 }, {}])
      expect((await ask('POST', path, proof(), bad)).status).toBe(400);
  });

  it('[GT2] [GT14] makes tokens with the audience and the issuer that the relay requires', async () => {
    const settings = { RELAY_OWNER_KEY: owner.publicKey, RELAY_AUDIENCE: 'shells, more', RELAY_ISSUER: 'us' };
    const strict = await TestRelay.onWorkerd({ settings });
    const made = await fetch(new URL('/api/owner/machines/build-7/links', strict.url), {
      method: 'POST',
      headers: proof(owner, strict.url.origin),
      body: JSON.stringify({ role: 'viewer', seconds: 600 }),
    });
    const { token } = (await made.json()) as { token: string };
    const health = new URL('/api/workspaces/build-7/health', strict.url);
    expect((await fetch(health, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(200);
    await strict[Symbol.asyncDispose]();
  });

  it('[GT14] revokes and reads the audit trail of any workspace, where the trail names the owner', async () => {
    const workspace = '/api/workspaces/build-8';
    const revoked = await ask('POST', `${workspace}/revocations`, proof(), { jti: 'some-token' });
    expect(revoked.status).toBe(204);
    const listed = await ask('GET', `${workspace}/revocations`, await cookie());
    expect(JSON.stringify(listed.body)).toContain('some-token');
    const { body } = await ask('GET', `${workspace}/audit`, proof());
    expect(JSON.stringify(body)).toContain('"name":"owner"');
  });

  it('[GT14] is not locked out of a workspace by a revocation of everything before now', async () => {
    const workspace = '/api/workspaces/build-9';
    const before = new Date(Date.now() + 60_000).toISOString();
    expect((await ask('POST', `${workspace}/revocations`, proof(), { before })).status).toBe(204);
    expect((await ask('GET', `${workspace}/audit`, proof())).status).toBe(200);
  });

  it('[GT14] does nothing else in a workspace', async () => {
    const paths = ['health', 'sessions', 'metrics', 'agent-key'];
    for (const path of paths)
      expect((await ask('GET', `/api/workspaces/build-7/${path}`, proof())).status, path).toBe(401);
  });

  it(`[X35] [SEC25] [GT14] has at most ${FLEET_CODES_MAX} invites and links that wait; the cookie leaves half to the key`, async () => {
    const own = await TestRelay.onWorkerd({ settings: { RELAY_OWNER_KEY: owner.publicKey } });
    const { origin, port } = own.url;
    const invites = async (count: number, headers: () => Record<string, string>) => {
      const statuses: number[] = [];
      for (let i = 0; i < count; i++) {
        const path = new URL('/api/owner/invites', origin);
        statuses.push((await fetch(path, { method: 'POST', headers: headers(), body: '{}' })).status);
      }
      return statuses;
    };
    const { cookie: signed } = await signOwnerCookie(owner.publicKey, { secret: SECRET }, Date.now());
    const byCookie = () => ({ Cookie: `holdfast-${port}.owner=${signed}`, Origin: origin });
    const byKey = () => proof(owner, origin);
    for (const [most, headers] of [
      [FLEET_COOKIE_CODES_MAX, byCookie],
      [FLEET_CODES_MAX - FLEET_COOKIE_CODES_MAX, byKey],
    ] as const) {
      const statuses = await invites(most + 1, headers);
      expect(new Set(statuses.slice(0, -1))).toEqual(new Set([201]));
      expect(statuses.at(-1)).toBe(429);
    }
    await own[Symbol.asyncDispose]();
  });
});
