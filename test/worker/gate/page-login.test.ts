/** The page's cookie is valid for minutes and only as a cookie; a login lasts with a key that stays in the page. */
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHALLENGE_LIFETIME_S, COOKIES_TRIED_MAX, PAGE_COOKIE_LIFETIME_S } from '../../../protocol/limits.ts';
import { renewalCredential } from '../../../protocol/page-login.ts';
import { SUBPROTOCOL } from '../../../protocol/version.ts';
import { signChallenge, signPageCookie } from '../../../worker/gate/own-credentials.ts';
import { PageBrowser } from '../../support/page-browser.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { SECRET, TestRelay } from '../../support/test-relay.ts';

const EMBEDDER = 'https://ide.example';
let relay: TestRelay;
let page: PageBrowser;
beforeAll(async () => {
  relay = await TestRelay.onWorkerd({ settings: { RELAY_ORIGINS: EMBEDDER } });
  page = await PageBrowser.open(relay);
});
afterAll(() => relay[Symbol.asyncDispose]());

const at = (path: string) => new URL(`/api/workspaces/test${path}`, relay.url);
const cookieName = () => `holdfast-${relay.url.port}-test`;
const textIn = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);
const claimsIn = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
const logIn = async (token: string) => page.logIn(`Bearer ${token}`);

describe('the page cookie', () => {
  it('[SEC16] [X11] [GT11] is valid for at most a quarter of an hour, and never longer than its token', async () => {
    const long = await logIn(await relay.token('operator'));
    expect(long.setCookie).toMatch(new RegExp(`; Max-Age=${PAGE_COOKIE_LIFETIME_S}; `));
    const { exp } = claimsIn(textIn(long.cookie));
    expect(exp - Date.now() / 1000).toBeLessThanOrEqual(PAGE_COOKIE_LIFETIME_S);
    const short = await logIn(await relay.mint({ role: 'operator', lifetimeSeconds: 60 }));
    expect(short.setCookie).toMatch(/; Max-Age=(?:60|59|58); /);
  });

  it('[X11] [GT11] is not accepted as a bearer, as a ticket, or on a route that takes no cookie', async () => {
    const { cookie } = await logIn(await relay.token('operator'));
    const text = textIn(cookie);
    expect(await page.statusWith(cookie)).toBe(200);
    for (const scheme of ['Bearer', 'Ticket', 'Renewal']) {
      const answer = await fetch(at('/health'), { headers: { Authorization: `${scheme} ${text}` } });
      expect(answer.status, scheme).toBe(401);
    }
    const again = await fetch(at('/login'), {
      method: 'POST',
      headers: { Cookie: cookie, Origin: relay.url.origin },
    });
    expect(again.status, 'a stolen cookie buys no other').toBe(401);
  });

  it('[SEC16] [GT4] is found behind others of its name, which a server on another port can set, up to a limit', async () => {
    const { cookie } = await logIn(await relay.token('operator'));
    const junk = (count: number) => `${cookieName()}=junk; `.repeat(count);
    expect(await page.statusWith(`${junk(COOKIES_TRIED_MAX - 1)}${cookie}`)).toBe(200);
    expect(await page.statusWith(`${junk(COOKIES_TRIED_MAX)}${cookie}`)).toBe(401);
    expect(await page.statusWith(junk(2))).toBe(401);
  });

  it('[X11] [GT7] [GT11] buys no ticket, which would make a stolen one last as long as its token', async () => {
    const { cookie } = await logIn(await relay.token('operator'));
    const bought = await fetch(at('/tickets'), {
      method: 'POST',
      headers: { Cookie: cookie, Origin: relay.url.origin },
    });
    expect(bought.status).toBe(401);
  });

  it('[X11] [GT11] cannot be replaced by a token, a ticket or a renewal', async () => {
    const token = await relay.token('operator');
    const { renewal } = await logIn(token);
    const bought = await fetch(at('/tickets'), {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    });
    const { ticket } = (await bought.json()) as { ticket: string };
    for (const text of [token, ticket, renewal]) {
      expect(await page.statusWith(`${cookieName()}=${text}`)).toBe(401);
    }
  });

  it('[X11] is not valid after its time, although its token is', async () => {
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const token = { ws: 'test', role: 'operator', exp, iat: exp - 7200, jti: 'some-token' } as const;
    const madeAt = Date.now() - PAGE_COOKIE_LIFETIME_S * 1000;
    const { cookie: old } = await signPageCookie(token, { secret: SECRET }, madeAt - 2000);
    const { cookie: young } = await signPageCookie(token, { secret: SECRET }, madeAt + 60_000);
    expect(await page.statusWith(`${cookieName()}=${old}`)).toBe(401);
    expect(await page.statusWith(`${cookieName()}=${young}`)).toBe(200);
  });

  it('[X11] [GT11] opens sockets that live as long as its token, and end when that is revoked', async () => {
    const token = await relay.token('operator');
    const { cookie } = await logIn(token);
    const headers = { Cookie: cookie, Origin: relay.url.origin };
    const socket = await ScriptedPeer.connect(new URL('/ws/workspaces/test', relay.url), headers, [
      SUBPROTOCOL,
    ]);
    await socket.message('agent_state');
    await relay.advance((PAGE_COOKIE_LIFETIME_S + 60) * 1000);
    await socket.pong();
    await fetch(at('/revocations'), {
      method: 'POST',
      headers: await relay.bearer('operator'),
      body: JSON.stringify({ jti: claimsIn(token).jti }),
    });
    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(await page.statusWith(cookie)).toBe(401);
  });
});

describe('a login without a key', () => {
  it('[GT11] works and cannot be renewed', async () => {
    const { status, renewal, cookie } = await page.post(await relay.bearer('viewer'), undefined);
    expect([status, renewal]).toEqual([200, '']);
    expect(await page.statusWith(cookie)).toBe(200);
  });

  it.each([
    { kty: 'EC', crv: 'P-384', x: 'a'.repeat(43), y: 'a'.repeat(43) },
    { kty: 'EC', crv: 'P-256', x: 'a'.repeat(43), y: 'a'.repeat(43) },
    { kty: 'EC', crv: 'P-256', x: 'a'.repeat(4000), y: 'a'.repeat(43) },
    { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
    'key',
    null,
  ])('[GT11] refuses an invalid key with 400: %j', async (key) => {
    const { status } = await page.post(await relay.bearer('viewer'), { key });
    expect(status === 400 || status === 413).toBe(true);
  });
});

describe('renewing a login', () => {
  it('[X11] [GT11] needs only the key, wakes no object, and works long after the cookie has expired', async () => {
    const { renewal } = await logIn(await relay.token('viewer'));
    await relay.evict('close');
    const before = await relay.counts();
    const renewed = await page.renew(renewal);
    expect(renewed.status).toBe(200);
    expect(await relay.counts(), 'no object was asked').toEqual(before);
    expect(await page.statusWith(renewed.cookie)).toBe(200);
    expect((await page.renew(renewed.renewal)).status, 'with the renewal that came with it').toBe(200);
  });

  it('[X11] [GT11] grants no more than before: the same role, and the expiry of the same token', async () => {
    const { renewal } = await logIn(await relay.mint({ role: 'viewer', lifetimeSeconds: 7200 }));
    const { cookie, renewal: next } = await page.renew(renewal);
    expect(claimsIn(textIn(cookie)).token).toEqual(claimsIn(renewal).token);
    expect(claimsIn(next)).toEqual(claimsIn(renewal));
    expect(await page.statusWith(cookie, '/revocations'), 'still a viewer').toBe(403);
  });

  it('[X11] [GT11] without the key is refused: no proof, a proof of another key, of another challenge or renewal', async () => {
    const { renewal } = await logIn(await relay.token('operator'));
    const { renewal: other } = await logIn(await relay.token('viewer'));
    const thief = await PageBrowser.open(relay);
    const challenge = await page.challenge();
    const signature = await page.prove(renewal, challenge);
    const shown = (parts: object) =>
      page.show(renewalCredential({ renewal, challenge, signature, ...parts })).then(({ status }) => status);
    expect(await shown({})).toBe(200);
    expect((await thief.renew(renewal)).status).toBe(401);
    expect(await shown({ challenge: await page.challenge() })).toBe(401);
    expect(await shown({ renewal: other })).toBe(401);
    expect(await shown({ signature: 'AAAA' })).toBe(401);
    expect(await shown({ signature: '!' })).toBe(401);
    for (const text of [renewal, `${renewal}~${challenge}`, `${renewal}~${challenge}~${signature}~more`]) {
      expect((await page.show(text)).status).toBe(401);
    }
  });

  it('[GT11] accepts no challenge that is old, of another workspace, forged, or of another kind', async () => {
    const token = await relay.token('operator');
    const { renewal, cookie } = await logIn(token);
    const secrets = { secret: SECRET };
    const old = await signChallenge('test', secrets, Date.now() - (CHALLENGE_LIFETIME_S + 2) * 1000);
    const foreign = await signChallenge('other', secrets, Date.now());
    const forged = await signChallenge('test', { secret: 'x'.repeat(40) }, Date.now());
    for (const challenge of [old, foreign, forged, textIn(cookie), token, renewal]) {
      expect((await page.renew(renewal, { challenge })).status).toBe(401);
    }
    const young = await signChallenge('test', secrets, Date.now() - (CHALLENGE_LIFETIME_S - 20) * 1000);
    expect((await page.renew(renewal, { challenge: young })).status).toBe(200);
  });

  it('[GT11] is possible from our own page only', async () => {
    const { renewal } = await logIn(await relay.token('operator'));
    for (const origin of [null, 'null', EMBEDDER, 'https://example.com']) {
      expect((await page.renew(renewal, { origin })).status, `${origin}`).toBe(403);
    }
  });

  it('[X11] [GT11] ends with the token, and the renewal is accepted as nothing else', async () => {
    const { renewal } = await logIn(await relay.token('operator'));
    const claims = claimsIn(renewal);
    const ended = { ...claims, exp: Math.floor(Date.now() / 1000) - 1 };
    const expired = await new SignJWT(ended)
      .setProtectedHeader({ alg: 'HS256', typ: 'holdfast-renewal' })
      .sign(new TextEncoder().encode(SECRET));
    expect((await page.renew(expired)).status).toBe(401);
    for (const scheme of ['Bearer', 'Ticket']) {
      const answer = await fetch(at('/login'), {
        method: 'POST',
        headers: { Authorization: `${scheme} ${renewal}` },
      });
      expect(answer.status, scheme).toBe(401);
    }
    const health = await fetch(at('/health'), { headers: { Authorization: `Renewal ${renewal}` } });
    expect(health.status, 'only at login').toBe(401);
  });

  it('[X11] [GT11] of a revoked token gives a cookie that the object refuses', async () => {
    const token = await relay.token('operator');
    const { renewal } = await logIn(token);
    await fetch(at('/revocations'), {
      method: 'POST',
      headers: await relay.bearer('operator'),
      body: JSON.stringify({ jti: claimsIn(token).jti }),
    });
    const { cookie } = await page.renew(renewal);
    expect(await page.statusWith(cookie)).toBe(401);
  });

  it('[GT7] [GT11] works after a ticket as well, in the role of the ticket', async () => {
    const bought = await fetch(at('/tickets'), {
      method: 'POST',
      headers: await relay.bearer('operator'),
      body: JSON.stringify({ role: 'viewer' }),
    });
    const { ticket } = (await bought.json()) as { ticket: string };
    const headers = { Authorization: `Ticket ${ticket}`, Origin: relay.url.origin };
    const { renewal } = await page.post(headers, { key: await page.publicKey() });
    const { cookie } = await page.renew(renewal);
    expect(claimsIn(textIn(cookie)).token.role).toBe('viewer');
  });

  it('[GT10] [GT11] works while the secret is replaced, and the new secret signs the result', async () => {
    const next = 'another secret for tests, with more than thirty-two bytes';
    await using before = await TestRelay.onWorkerd();
    await using overlap = await TestRelay.onWorkerd({
      secret: next,
      settings: { RELAY_SECRET_PREVIOUS: SECRET },
    });
    await using after = await TestRelay.onWorkerd({ secret: next });
    const keys = await PageBrowser.open(before);
    const first = await keys.logIn(`Bearer ${await before.token('operator')}`);
    const renewed = await keys.on(overlap).renew(first.renewal);
    expect(renewed.status).toBe(200);
    expect((await keys.on(after).renew(renewed.renewal)).status).toBe(200);
    expect((await keys.on(after).renew(first.renewal)).status, 'what stayed closed meanwhile').toBe(401);
  });
});

describe('a renewal challenge', () => {
  it('[GT11] is public, different each time, and wakes no object', async () => {
    await relay.evict('close');
    const before = await relay.counts();
    const [one, two] = [await page.challenge(), await page.challenge()];
    expect(one).not.toBe(two);
    expect(await relay.counts()).toEqual(before);
    expect((await fetch(new URL('/api/workspaces/a%20b/login/challenge', relay.url))).status).toBe(404);
  });
});
