/** Tokens by secret and by key, tickets and expiry, on real sockets. */
import { exportJWK, exportPKCS8, exportSPKI, generateKeyPair } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mintTokenByKey } from '../../../cli/relay/mint-token.ts';
import { SUBPROTOCOL, ticketOffer } from '../../../protocol/version.ts';
import { connectAgent, connectClient } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import { TestRelay } from '../../support/test-relay.ts';
import { bearer, jtiOf, requestsTo } from './token-requests.ts';

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

const { at, post, status } = requestsTo(() => relay);

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
describe('an expiring token', () => {
  it('[F25] [GT9] closes its socket with 4401, by an alarm, although the object sleeps', async () => {
    const token = await relay.mint({ role: 'operator', lifetimeSeconds: 10 });
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
    await own.advance(200_000);
    // In small steps: a client that is not heard for long is closed too.
    let isOver = false;
    const closed = agent.closed.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await client.pong();
      await Promise.race([agent.pong().catch(() => {}), closed]);
      await own.advance(5_000);
    }
    expect(await closed).toMatchObject({ code: 4401 });
    expect(await client.message('agent_state')).toMatchObject({ agent: { state: 'offline' } });
    await client.pong();
  });
});
