/** Tokens by secret and by key, tickets, revocation and expiry, on real sockets. */
import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mintTokenByKey } from '../../../cli/relay/mint-token.ts';
import { CLOCK_SKEW_MAX_S, REVOCATIONS_MAX, REVOCATIONS_PAGE_MAX } from '../../../protocol/limits.ts';
import { SUBPROTOCOL, ticketOffer } from '../../../protocol/version.ts';
import type { RevocationList } from '../../../worker/registry/revocation.ts';
import { attachClient, connectAgent, connectClient, questioned } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import { TestRelay } from '../../support/test-relay.ts';

const EMBEDDER = 'https://ide.example';
const keys = await Promise.all(
  ['old', 'new', 'strange'].map(async (kid) => {
    const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
    return {
      kid,
      private: await exportPKCS8(pair.privateKey),
      pem: await exportSPKI(pair.publicKey),
      jwk: { ...(await exportJWK(pair.publicKey)), kid },
    };
  }),
);
const [oldKey, newKey, strangeKey] = keys as [(typeof keys)[0], (typeof keys)[0], (typeof keys)[0]];
const JWKS = JSON.stringify({ keys: [oldKey.jwk, newKey.jwk] });

const relays = sharedRelays();
let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start({ settings: { RELAY_PUBLIC_KEY: JWKS, RELAY_ORIGINS: EMBEDDER } });
});
afterAll(() => relay[Symbol.asyncDispose]());

const at = (path: string, on = relay) => new URL(`/api/workspaces/${on.workspace}${path}`, on.url);
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const jtiOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;
const post = (path: string, headers: Record<string, string>, body: unknown = {}, on = relay) =>
  fetch(at(path, on), { method: 'POST', headers, body: JSON.stringify(body) });
const status = async (token: string, on = relay) =>
  (await fetch(at('/health', on), { headers: bearer(token) })).status;

describe('a token signed with a private key', () => {
  const request = { workspace: 'test', role: 'operator', lifetimeSeconds: 60 } as const;

  it('[GT2] is valid if one of the public keys matches, with and without a key id', async () => {
    expect(await status(await mintTokenByKey(request, oldKey.private, 'old'))).toBe(200);
    expect(await status(await mintTokenByKey(request, newKey.private, 'new'))).toBe(200);
    expect(await status(await mintTokenByKey(request, newKey.private))).toBe(200);
  });

  it('[GT2] is refused if none matches, if it has expired, and if it names a key that did not sign it', async () => {
    expect(await status(await mintTokenByKey(request, strangeKey.private))).toBe(401);
    expect(await status(await mintTokenByKey({ ...request, lifetimeSeconds: -5 }, newKey.private))).toBe(401);
    expect(await status(await mintTokenByKey(request, newKey.private, 'old'))).toBe(401);
  });

  it('[GT2] is never checked with a public key used as a secret, nor the reverse', async () => {
    const { SignJWT } = await import('jose');
    const claims = {
      ws: 'test',
      role: 'operator',
      exp: Math.floor(Date.now() / 1000) + 60,
      jti: 'forged-one',
    };
    for (const secret of [JWKS, newKey.pem, newKey.jwk.x ?? '']) {
      const forged = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(secret.padEnd(32)));
      expect(await status(forged)).toBe(401);
    }
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(await status(`${part({ alg: 'none' })}.${part(claims)}.`)).toBe(401);
  });

  it.each([
    ['PEM', newKey.pem],
    ['two PEM blocks', `${oldKey.pem}\n${newKey.pem}`],
    ['PEM with line ends as some settings pages store them', newKey.pem.replaceAll('\n', '\\n')],
    ['one JWK', JSON.stringify(newKey.jwk)],
  ])('[GT2] is checked with keys given as %s', async (_, setting) => {
    await using other = await TestRelay.onWorkerd({ settings: { RELAY_PUBLIC_KEY: setting } });
    expect(await status(await mintTokenByKey(request, newKey.private), other)).toBe(200);
    expect(await status(await mintTokenByKey(request, strangeKey.private), other)).toBe(401);
  });

  it('[GT2] is refused if the setting cannot be read, which affects no other token and is logged', async () => {
    await using other = await TestRelay.onWorkerd({ settings: { RELAY_PUBLIC_KEY: 'no key' } });
    expect(await status(await mintTokenByKey(request, newKey.private), other)).toBe(401);
    expect(await status(await other.token('operator'), other)).toBe(200);
    expect(other.logs.join('\n')).toMatch(/public_key_unusable/);
  });
});

describe('a ticket', () => {
  let token: string;
  beforeEach(async () => {
    token = await relay.token('operator');
  });

  async function buy(body: object = {}, headers: Record<string, string> = {}): Promise<string> {
    const response = await post('/tickets', { ...bearer(token), ...headers }, body);
    expect(response.status).toBe(201);
    return ((await response.json()) as { ticket: string }).ticket;
  }

  const dial = (ticket: string, origin: string, on = relay) =>
    ScriptedPeer.connect(new URL(`/ws/workspaces/${on.workspace}`, on.url), { Origin: origin }, [
      SUBPROTOCOL,
      ticketOffer(ticket),
    ]);

  it('[GT7] opens one socket, for the page it was made for', async () => {
    const ticket = await buy({ origin: EMBEDDER });
    const socket = await dial(ticket, EMBEDDER);
    await socket.message('agent_state');
    const again = await dial(ticket, EMBEDDER);
    expect(await again.closed).toEqual({ code: 4401, reason: 'The ticket has been used.' });
    await socket[Symbol.asyncDispose]();
  });

  it('[GT7] stays used although the object is evicted', async () => {
    const ticket = await buy({ origin: EMBEDDER });
    await (await dial(ticket, EMBEDDER))[Symbol.asyncDispose]();
    await relay.evict('close');
    expect((await (await dial(ticket, EMBEDDER)).closed).code).toBe(4401);
  });

  it('[GT7] wakes no object if it is for another page, forged, or really a token', async () => {
    const ticket = await buy({ origin: EMBEDDER });
    await relay.evict('close');
    const before = await relay.counts();
    await expect(dial(ticket, relay.url.origin)).rejects.toThrow('403');
    await expect(dial(ticket, 'https://elsewhere.example')).rejects.toThrow('403');
    await expect(dial(`${ticket.slice(0, -4)}AAAA`, EMBEDDER)).rejects.toThrow('401');
    await expect(dial(token, EMBEDDER)).rejects.toThrow('401');
    expect(await status(ticket), 'nor is a ticket a token').toBe(401);
    expect(await relay.counts()).toEqual(before);
  });

  it('[GT7] is valid for 30 seconds, for a listed origin, and with no more rights than its creator', async () => {
    const response = await post('/tickets', bearer(token), { origin: EMBEDDER, role: 'viewer' });
    const { expiresAt, role } = (await response.json()) as { expiresAt: string; role: string };
    expect(role).toBe('viewer');
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(30_000);
    expect((await post('/tickets', bearer(token), { origin: 'https://elsewhere.example' })).status).toBe(400);
    expect((await post('/tickets', bearer(token), { role: 'agent' })).status).toBe(400);
    expect((await post('/tickets', await relay.bearer('viewer'), { role: 'operator' })).status).toBe(403);
  });

  it('[GT7] buys the cookie of our own page, once; the cookie ends with the token and is revoked with it', async () => {
    const ticket = await buy({ role: 'viewer' });
    const headers = { Authorization: `Ticket ${ticket}`, Origin: relay.url.origin };
    const login = await post('/login', headers);
    expect(await login.json()).toMatchObject({ workspace: 'test', role: 'viewer' });
    const [cookie = ''] = (login.headers.get('Set-Cookie') ?? '').split(';');
    const withCookie = () =>
      fetch(at('/health'), { headers: { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' } });
    expect((await withCookie()).status).toBe(200);
    expect((await post('/login', headers)).status, 'a second time').toBe(401);
    await post('/revocations', await relay.bearer('operator'), { jti: jtiOf(token) });
    expect((await withCookie()).status).toBe(401);
  });

  it('[GT7] of a revoked token opens nothing', async () => {
    const ticket = await buy({ origin: EMBEDDER });
    await post('/revocations', await relay.bearer('operator'), { jti: jtiOf(token) });
    expect((await (await dial(ticket, EMBEDDER)).closed).code).toBe(4401);
    expect((await post('/tickets', bearer(token))).status).toBe(401);
  });

  it('[GT6] can be made by an embedder on its own page, which can read the answer', async () => {
    const preflight = await fetch(at('/tickets'), {
      method: 'OPTIONS',
      headers: { Origin: EMBEDDER, 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toMatch(/Authorization/);
    const bought = await post('/tickets', { ...bearer(token), Origin: EMBEDDER });
    expect(bought.headers.get('Access-Control-Allow-Origin')).toBe(EMBEDDER);
    expect(bought.headers.get('Access-Control-Allow-Credentials')).toBeNull();
    expect(await bought.json()).toMatchObject({ origin: EMBEDDER });

    const refused = await post('/tickets', { ...bearer('nonsense'), Origin: EMBEDDER });
    expect(refused.status, 'and why it was refused').toBe(401);
    expect(refused.headers.get('Access-Control-Allow-Origin')).toBe(EMBEDDER);
    const foreign = await post('/tickets', { ...bearer(token), Origin: 'https://elsewhere.example' });
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get('Access-Control-Allow-Origin')).toBeNull();
  });
});

describe('a revocation', () => {
  let own: TestRelay;
  let operator: string;
  beforeEach(async () => {
    own = await relays.start();
    operator = await own.token('operator');
  });
  const revoke = (body: object) => post('/revocations', bearer(operator), body, own);
  // Made when it is needed: a revocation by time also revokes the one above.
  const laterOperator = () => own.mint({ role: 'operator', issuedAt: Math.ceil(Date.now() / 1000) + 1 });
  const list = async (query = '') => {
    const response = await fetch(at(`/revocations${query}`, own), { headers: bearer(await laterOperator()) });
    return (await response.json()) as RevocationList;
  };
  const undo = async (jti: string) =>
    fetch(at(`/revocations/${jti}`, own), { method: 'DELETE', headers: bearer(await laterOperator()) });

  it.each([
    ['awake', false],
    ['asleep', true],
  ])(
    '[F25] [GT8] closes live sockets at once although the object is %s, and reports the client once',
    async (_, asleep) => {
      const agent = await connectAgent(own);
      const token = await own.token('operator');
      const [stolen, other] = [await connectClient(own, 'operator', token), await attachClient(own, agent)];
      if (asleep) await own.evict('hibernate');
      expect((await revoke({ jti: jtiOf(token) })).status).toBe(204);
      expect(await stolen.closed).toEqual({ code: 4401, reason: 'The token has been revoked.' });
      await agent.message('client_dropped');
      expect(await questioned(agent)).toEqual({ clients: [other.channel], before: [] });
    },
  );

  it('[SEC1] [GT8] is permanent: the object refuses the token after any eviction, on sockets and over HTTP', async () => {
    const token = await own.token('operator');
    await revoke({ jti: jtiOf(token) });
    await own.evict('close');
    await expect(connectClient(own, 'operator', token)).rejects.toThrow('401');
    for (const path of ['/health', '/sessions']) {
      const response = await fetch(at(path, own), { headers: bearer(token) });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: 'unauthorized' } });
    }
    expect((await post('/login', bearer(token), {}, own)).status).toBe(401);
    expect((await post('/tickets', bearer(token), {}, own)).status).toBe(401);
    expect((await post('/revocations', bearer(token), { jti: 'another-one' }, own)).status).toBe(401);
    expect(await status(operator, own)).toBe(200);
  });

  it("[GT8] by time revokes everything issued before it, including the agent's token", async () => {
    const agent = await connectAgent(own);
    const client = await connectClient(own);
    const later = new Date(Date.now() + 2_000);
    expect((await revoke({ before: later.toISOString() })).status).toBe(204);
    expect((await agent.closed).code).toBe(4401);
    expect((await client.closed).code).toBe(4401);
    expect(await status(operator, own)).toBe(401);
    // An earlier time, sent later, restores nothing that was revoked.
    expect(await own.sql("SELECT value FROM facts WHERE name = 'revoked_before'")).toEqual([
      [{ value: later.getTime() }],
    ]);
  });

  it('[GT8] accepts seconds as well, and refuses other values', async () => {
    expect((await revoke({ before: Math.floor(Date.now() / 1000) - 3600 })).status).toBe(204);
    for (const body of [{}, { jti: '' }, { before: 'yesterday' }, { jti: 'long-enough', before: 1 }, []]) {
      expect((await revoke(body)).status, JSON.stringify(body)).toBe(400);
    }
  });

  it('[X12] [GT8] by a time ahead of the clock is refused, within the allowed clock skew it is not', async () => {
    const ahead = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
    const refused = await revoke({ before: ahead(CLOCK_SKEW_MAX_S + 30) });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringMatching(/at most 300 s ahead/) },
    });
    expect((await revoke({ before: '2999-01-01T00:00:00Z' })).status).toBe(400);
    expect(await status(operator, own), 'nothing was revoked').toBe(200);
    expect((await revoke({ before: ahead(CLOCK_SKEW_MAX_S - 30) })).status).toBe(204);
  });

  it('[SEC16] [X12] [GT8] by time does not affect new tokens: nobody is locked out for good', async () => {
    const past = await own.mint({ role: 'operator', issuedAt: Math.floor(Date.now() / 1000) - 60 });
    expect((await revoke({ before: Math.floor(Date.now() / 1000) - 1 })).status).toBe(204);
    expect(await status(past, own)).toBe(401);
    expect(await status(await own.token('operator'), own)).toBe(200);
  });

  it('[X12] [GT8] by a time far ahead that an earlier version stored counts as now', async () => {
    await own.sql("INSERT OR REPLACE INTO facts (name, value) VALUES ('revoked_before', 32503680000000)");
    expect(await status(operator, own)).toBe(401);
    await own.evict('close');
    expect(await status(operator, own), 'made before now').toBe(401);
    const fresh = await own.mint({ role: 'operator', issuedAt: Math.ceil(Date.now() / 1000) + 1 });
    expect(await status(fresh, own)).toBe(200);
  });

  it('[X12] [GT8] by name is not undone by a later time, although the token claims to be issued after both', async () => {
    const token = await own.token('operator');
    await revoke({ jti: jtiOf(token) });
    await own.sql(`UPDATE revocations SET recorded_at = ${Date.now() - 86_400_000}`);
    await revoke({ before: Math.floor(Date.now() / 1000) - 60 });
    expect(await status(token, own)).toBe(401);
  });

  it('[X12] [GT8] is kept until its token has expired, and forever if its expiry is unknown', async () => {
    const exp = Math.floor(Date.now() / 1000) + 3600;
    await revoke({ jti: 'with-exp-1', exp });
    await revoke({ jti: 'without-exp' });
    await own.advance((3600 + CLOCK_SKEW_MAX_S - 60) * 1000);
    await revoke({ jti: 'later-one-1' });
    const names = async () => (await list()).revocations.map(({ jti }) => jti);
    expect(await names()).toEqual(['later-one-1', 'with-exp-1', 'without-exp']);
    await own.advance(120_000);
    await revoke({ jti: 'later-one-2' });
    expect(await names()).toEqual(['later-one-1', 'later-one-2', 'without-exp']);
  });

  it('[X12] [GT8] is permanent if the same name is revoked again without an expiry', async () => {
    await revoke({ jti: 'some-token', exp: Math.floor(Date.now() / 1000) + 60 });
    await revoke({ jti: 'some-token' });
    expect((await list()).revocations).toMatchObject([{ jti: 'some-token', expiresAt: null }]);
  });

  it('[X12] [GT8] is listed, and undone by name and by time', async () => {
    const token = await own.mint({ role: 'operator', issuedAt: Math.floor(Date.now() / 1000) - 60 });
    const before = new Date(Date.now() - 30_000).toISOString();
    await revoke({ jti: jtiOf(token) });
    await revoke({ before });
    expect(await list()).toEqual({
      before,
      revocations: [{ jti: jtiOf(token), revokedAt: expect.any(String), expiresAt: null }],
      next: null,
    });
    expect((await undo(jtiOf(token))).status).toBe(204);
    expect(await status(token, own), 'still by the moment').toBe(401);
    expect((await undo('before')).status).toBe(204);
    expect(await status(token, own)).toBe(200);
    expect(await list()).toEqual({ before: null, revocations: [], next: null });
    expect((await undo('before')).status).toBe(404);
    expect((await undo(jtiOf(token))).status).toBe(404);
  });

  it('[X12] lists have pages, and one entry too many for a page is on the next', async () => {
    const rows = Array.from(
      { length: REVOCATIONS_PAGE_MAX + 1 },
      (_, i) => `('token-${String(i).padStart(4, '0')}', 1)`,
    );
    await own.sql(`INSERT INTO revocations (jti, recorded_at) VALUES ${rows.join(', ')}`);
    const first = await list();
    expect(first.revocations).toHaveLength(REVOCATIONS_PAGE_MAX);
    expect(first.next).toBe('token-0099');
    const second = await list(`?after=${first.next}`);
    expect(second).toMatchObject({ revocations: [{ jti: 'token-0100' }], next: null });
  });

  it('[X12] beyond the limit gets 409 and says what to do; a name already listed does not', async () => {
    await own.sql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${REVOCATIONS_MAX})
       INSERT INTO revocations (jti, recorded_at) SELECT 'token-' || i, 1 FROM n`,
    );
    const refused = await revoke({ jti: 'one-too-many' });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: 'revocation_limit' } });
    expect((await revoke({ jti: 'token-1000' })).status).toBe(204);
  });
});

describe('an expiring token', () => {
  it('[F25] [GT9] closes its socket with 4401, by an alarm, although the object sleeps', async () => {
    const token = await relay.mint({ role: 'operator', lifetimeSeconds: 2 });
    const client = await connectClient(relay, 'operator', token);
    await relay.evict('hibernate');
    expect(await client.closed).toEqual({ code: 4401, reason: 'The token has expired.' });
  });

  it("[F25] [GT9] closes the agent's socket too, informs the clients, and does not affect other sockets", async () => {
    const own = await relays.start();
    const agent = await connectAgent(own, { token: await own.mint({ role: 'agent', lifetimeSeconds: 600 }) });
    const client = await connectClient(own);
    await own.evict('hibernate');
    await own.advance(300_000);
    await Promise.all([agent.pong(), client.pong()]);
    expect((await own.counts()).alarms, 'not before').toBe(0);
    await own.advance(295_000);
    await Promise.all([agent.pong(), client.pong()]);
    await own.advance(5_000);
    expect(await agent.closed).toMatchObject({ code: 4401 });
    expect(await client.message('agent_state')).toMatchObject({ agent: { state: 'offline' } });
    await client.pong();
  });
});
