/** Share links: who makes one, what it opens, and that nothing it was traded for outlives it. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditPage } from '../../../protocol/audit.ts';
import { SHARE_LABEL_MAX_CHARS, SHARE_LINK_MAX_S, SHARE_LINKS_MAX } from '../../../protocol/limits.ts';
import { renewalCredential } from '../../../protocol/page-login.ts';
import type { MadeLink } from '../../../protocol/share-link.ts';
import { SUBPROTOCOL } from '../../../protocol/version.ts';
import { signBySecret } from '../../../worker/gate/jwt.ts';
import { newClaims } from '../../../worker/gate/made-token.ts';
import { makeShareCode } from '../../../worker/gate/share-code.ts';
import { PageBrowser } from '../../support/page-browser.ts';
import { connectAgent } from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { sharedRelays } from '../../support/shared-relays.ts';
import { SECRET, type TestRelay } from '../../support/test-relay.ts';
import { oneSessionToken } from '../../support/two-sessions.ts';

describe('share links', () => {
  const relays = sharedRelays();
  let relay: TestRelay;
  let page: PageBrowser;
  let agent: ScriptedPeer;
  beforeEach(async () => {
    relay = await relays.start();
    page = await PageBrowser.open(relay);
    agent = await connectAgent(relay, { sessions: [sessionInfo('s1'), sessionInfo('s2')] });
  });

  const at = (path: string) => new URL(`/api/workspaces/${relay.workspace}${path}`, relay.url);
  const ask = async (path: string, method = 'GET', headers?: Record<string, string>, body?: unknown) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(at(path), {
      method,
      headers: headers ?? (await relay.bearer('operator')),
      ...init,
    });
    return { status: answer.status, body: JSON.parse((await answer.text()) || 'null') };
  };
  const make = async (wanted: object = {}, headers?: Record<string, string>) => {
    const answer = await ask('/share-links', 'POST', headers, { role: 'viewer', seconds: 3600, ...wanted });
    return {
      status: answer.status,
      ...(answer.body as MadeLink & { error?: { code: string; message: string } }),
    };
  };
  const codeOf = ({ link }: { link: string }) => new URL(link).hash.replace('#share=', '');
  const open = async (code: string, origin = relay.url.origin) =>
    page.post({ Authorization: `Share ${code}`, Origin: origin }, { key: await page.publicKey() });
  const own = () => ({ Origin: relay.url.origin, 'Sec-Fetch-Site': 'same-origin' });
  const connect = (cookie: string) =>
    ScriptedPeer.connect(new URL(`/ws/workspaces/${relay.workspace}`, relay.url), {
      Cookie: cookie,
      ...own(),
    });
  const proven = async (renewal: string) => {
    const challenge = await page.challenge();
    const signature = await page.prove(renewal, challenge);
    return { Authorization: `Renewal ${renewalCredential({ renewal, challenge, signature })}`, ...own() };
  };

  it('[J6] [SL1] one opens its session as often as it is used, with its label as the name of who opens it', async () => {
    const made = await make({ session: 's1', label: ' Ann\u202e \n' });
    expect(made).toMatchObject({
      status: 201,
      role: 'viewer',
      session: 's1',
      label: 'Ann',
      uses: 0,
      lastUsedAt: null,
    });
    expect(made.link).toMatch(new RegExp(`^${relay.url.origin}/w/${relay.workspace}#share=[\\w-]{43}$`));
    for (const _ of [1, 2]) {
      const { status, cookie } = await open(codeOf(made));
      expect(status).toBe(200);
      const guest = await connect(cookie);
      expect(await guest.message('agent_state')).toMatchObject({
        role: 'viewer',
        guest: true,
        session: 's1',
      });
      guest.send({ type: 'list_sessions', request: 'l' });
      expect(await guest.message('session_list')).toMatchObject({ sessions: [{ id: 's1' }] });
      guest.terminate();
    }
    const { body } = await ask('/share-links');
    const { link: _, status: _status, ...listed } = made;
    expect(body.links).toEqual([{ ...listed, uses: 2, lastUsedAt: expect.stringMatching(/^20/) }]);
    expect(JSON.stringify(body)).not.toContain(codeOf(made));
    const { body: trail } = await ask('/audit');
    const rows = (trail as AuditPage).entries.map(({ action, who, session, detail }) => [
      ...[action, who?.name ?? null, session, detail],
    ]);
    expect(rows).toContainEqual(['link_used', 'Ann (link)', 's1', 'viewer: Ann']);
    expect(rows).toContainEqual(['link_made', null, 's1', 'viewer: Ann']);
  });

  it('[SL1] one for all sessions has no session, and its guest administers nothing', async () => {
    const made = await make({ role: 'operator' });
    expect(made).toMatchObject({ session: null, label: 'Guest' });
    const { cookie, renewal } = await open(codeOf(made));
    const statuses = await Promise.all(
      [
        '/sessions',
        '/health',
        '/share-links',
        '/revocations',
        '/audit',
        '/agent-key',
        '/metrics',
        '/push/key',
      ].map(async (path) => (await ask(path, 'GET', { Cookie: cookie, ...own() })).status),
    );
    expect(statuses).toEqual([200, 200, 403, 403, 403, 403, 403, 403]);
    expect((await make({}, await proven(renewal))).status).toBe(403);
    expect((await ask('/device-codes', 'POST', await proven(renewal), {})).status).toBe(403);
    expect((await ask('/revocations', 'POST', { Cookie: cookie, ...own() }, { before: 0 })).status).toBe(403);
  });

  it('[SEC26] [SL4] one is made with a token or the key of the page, not with a cookie, and not by a viewer or a guest', async () => {
    const { cookie, renewal } = await page.logIn(`Bearer ${await relay.token('operator')}`);
    expect((await make({}, { Cookie: cookie, ...own() })).status).toBe(401);
    expect((await make({}, await proven(renewal))).status).toBe(201);
    expect((await make({}, await relay.bearer('viewer'))).status).toBe(403);
    const scoped = { Authorization: `Bearer ${await oneSessionToken(relay, 'operator', 's1')}` };
    expect((await make({}, scoped)).status).toBe(403);
    expect((await ask('/share-links', 'GET', { Cookie: cookie, ...own() })).status, 'listing').toBe(200);
  });

  it('[SL1] one is refused elsewhere: as a token, on other routes, from other pages, for another workspace', async () => {
    const code = codeOf(await make());
    for (const scheme of ['Bearer', 'Ticket', 'Renewal', 'Code', 'Owner', 'Invite', 'Link', 'Share'])
      expect((await ask('/sessions', 'GET', { Authorization: `${scheme} ${code}` })).status, scheme).toBe(
        401,
      );
    expect((await open(code, 'https://example.com')).status).toBe(403);
    expect((await page.post({ Authorization: `Share ${code}` }, {})).status, 'no page').toBe(403);
    const elsewhere = new URL('/api/workspaces/other/login', relay.url);
    const headers = { Authorization: `Share ${code}`, ...own() };
    expect((await fetch(elsewhere, { method: 'POST', headers })).status).toBe(401);
  });

  it('[SL1] a wrong one wakes nothing', async () => {
    const before = await relay.counts();
    const { code } = await makeShareCode(relay.workspace, 3600, { secret: `${SECRET}!` }, Date.now());
    expect((await open(code)).status).toBe(401);
    const old = await makeShareCode(relay.workspace, 60, { secret: SECRET }, Date.now() - 61_000);
    expect((await open(old.code)).status).toBe(401);
    expect(await relay.counts()).toEqual(before);
  });

  it('[SL1] a right code that the workspace does not know is refused', async () => {
    const { code } = await makeShareCode(relay.workspace, 3600, { secret: SECRET }, Date.now());
    expect((await open(code)).status).toBe(401);
  });

  it('[SEC26] [J6] [SL3] a revoked one ends at once whatever it was traded for, also in an object that was asleep', async () => {
    const made = await make({ role: 'operator' });
    const { cookie, renewal } = await open(codeOf(made));
    const guest = await connect(cookie);
    await guest.message('agent_state');
    await guest.pong();
    const streamed = await fetch(at('/sessions/s1/wait?for=text&text=x&timeoutMs=1'), {
      headers: { Cookie: cookie, ...own() },
    });
    expect(streamed.status).not.toBe(401);
    await relay.evict('hibernate');
    expect((await ask(`/share-links/${encodeURIComponent(made.id)}`, 'DELETE')).status).toBe(204);
    expect(await guest.closed).toMatchObject({ code: 4401, reason: 'The link has been revoked.' });
    expect((await open(codeOf(made))).status, 'the link').toBe(401);
    expect(await page.statusWith(cookie, '/sessions'), 'the cookie').toBe(401);
    const renewed = await page.renew(renewal);
    expect(await page.statusWith(renewed.cookie, '/sessions'), 'what its renewal gives').toBe(401);
    await relay.evict('hibernate');
    expect(await page.statusWith(cookie, '/sessions'), 'after a wake-up').toBe(401);
    expect((await ask(`/share-links/${encodeURIComponent(made.id)}`, 'DELETE')).status).toBe(404);
    expect((await ask('/share-links')).body.links).toEqual([]);
    const { body } = await ask('/audit');
    expect(body.entries).toContainEqual(
      expect.objectContaining({ action: 'link_revoked', detail: 'operator: Guest' }),
    );
  });

  it('[SL3] [GT8] one ends with the token that made it, with its own id, and with everything that is as old', async () => {
    const token = await relay.mint({ role: 'operator' });
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const byToken = await make({ label: 'a' }, { Authorization: `Bearer ${token}` });
    const byId = await make({ label: 'b' });
    const byTime = await make({ label: 'c' });
    const guest = await connect((await open(codeOf(byToken))).cookie);
    await guest.message('agent_state');
    await guest.pong();
    const labels = async () =>
      (await ask('/share-links')).body.links.map(({ label }: MadeLink) => label).sort();
    await ask('/revocations', 'POST', undefined, { jti });
    expect((await guest.closed).code).toBe(4401);
    expect(await labels()).toEqual(['b', 'c']);
    await ask('/revocations', 'POST', undefined, { jti: byId.id });
    expect(await labels()).toEqual(['c']);
    await ask(`/revocations/${encodeURIComponent(byId.id)}`, 'DELETE');
    expect((await open(codeOf(byId))).status, 'undoing does not bring a link back').toBe(401);
    const { cookie } = await open(codeOf(byTime));
    const before = new Date(Date.now() + 2000).toISOString();
    await ask('/revocations', 'POST', undefined, { before });
    expect((await open(codeOf(byTime))).status).toBe(401);
    // By somebody whose token was made after the revocation, which lies ahead of the relay's clock.
    const iat = Math.ceil(Date.now() / 1000) + 60;
    const later = { ...newClaims({ ws: relay.workspace, role: 'operator' }, 600), iat };
    const maker = await signBySecret(later, 'JWT', { secret: SECRET });
    const early = await make({}, { Authorization: `Bearer ${maker}` });
    expect((await open(codeOf(early))).status, 'one that is made before it').toBe(401);
    expect(await page.statusWith(cookie, '/sessions')).toBe(401);
  });

  it('[SL8] one ends with its session, and not with a machine that is away or comes back', async () => {
    const made = await make({ session: 's1' });
    agent.terminate();
    expect((await open(codeOf(made))).status, 'offline').toBe(200);
    agent = await connectAgent(relay, { sessions: [sessionInfo('s1'), sessionInfo('s2')], epoch: 'epoch-2' });
    expect((await open(codeOf(made))).status, 'revived under its id').toBe(200);
    const { cookie } = await open(codeOf(made));
    agent.send({ type: 'session_gone', session: 's1', reason: 'closed' });
    await agent.pong();
    expect((await open(codeOf(made))).status).toBe(401);
    expect(await page.statusWith(cookie, '/sessions')).toBe(401);
    expect((await make({ session: 's1' })).error?.code).toBe('session_missing');
    expect((await make({ session: 's2' })).status).toBe(201);
  });

  it('[SL1] one that has expired is forgotten, and opens nothing', async () => {
    const made = await make({ seconds: 60 });
    await relay.advance(61_000);
    expect((await open(codeOf(made))).status).toBe(401);
    expect((await ask('/share-links')).body.links).toEqual([]);
  });

  it('[SL4] the limits: one more link than there may be, a longer label, a longer and a shorter life, other fields', async () => {
    const statuses = await Promise.all([
      make({ seconds: SHARE_LINK_MAX_S + 1 }),
      make({ seconds: 59 }),
      make({ label: 'x'.repeat(SHARE_LABEL_MAX_CHARS + 1) }),
      make({ role: 'agent' }),
      make({ session: '../x' }),
      make({ more: true }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
    expect((await make({ seconds: SHARE_LINK_MAX_S, label: 'x'.repeat(SHARE_LABEL_MAX_CHARS) })).status).toBe(
      201,
    );
    const rest = Array.from(
      { length: SHARE_LINKS_MAX - 2 },
      (_, i) => `('link:${i}','viewer',NULL,'l','me','t',1,9e15,NULL,0)`,
    );
    await relay.sql(
      `INSERT INTO share_links (id, role, session, label, made_by, maker_token, made_at, expires_at, used_at, uses) VALUES ${rest.join(',')}`,
    );
    await relay.evict('close');
    expect((await make()).status).toBe(201);
    const beyond = await make();
    expect([beyond.status, beyond.error?.code]).toEqual([409, 'link_limit']);
  });

  it('[SL4] cookies, renewals and tickets of guests are of a type of their own, and of no other', async () => {
    const typeOf = (text: string) =>
      JSON.parse(Buffer.from(text.split('.')[0] ?? '', 'base64url').toString()).typ;
    const { cookie, renewal } = await open(codeOf(await make({ session: 's1' })));
    expect(typeOf(cookie.replace(/^[^=]*=/, ''))).toBe('holdfast-page-guest');
    expect(typeOf(renewal)).toBe('holdfast-renewal-guest');
    const token = { ...newClaims({ ws: relay.workspace, role: 'viewer', session: 's1' }, 60) };
    const forged = await signBySecret({ token, exp: token.exp }, 'holdfast-page', { secret: SECRET });
    const name = cookie.replace(/=.*/, '');
    expect(await page.statusWith(`${name}=${forged}`, '/sessions')).toBe(401);
    const whole = { ...token, session: undefined };
    const other = await signBySecret({ token: whole, exp: token.exp }, 'holdfast-page-guest', {
      secret: SECRET,
    });
    expect(await page.statusWith(`${name}=${other}`, '/sessions')).toBe(401);
  });

  it('[SL2] tickets of a token for one session see one session; device codes are not made for guests', async () => {
    const scoped = { Authorization: `Bearer ${await oneSessionToken(relay, 'operator', 's1')}` };
    const { body } = await ask('/tickets', 'POST', scoped, {});
    const socket = new URL(`/ws/workspaces/${relay.workspace}`, relay.url);
    const offer = [SUBPROTOCOL, `holdfast.ticket.${body.ticket}`];
    const guest = await ScriptedPeer.connect(socket, { Origin: relay.url.origin }, offer);
    expect(await guest.message('agent_state')).toMatchObject({
      role: 'operator',
      guest: true,
      session: 's1',
    });
    expect((await ask('/device-codes', 'POST', scoped, {})).status).toBe(403);
    guest.terminate();
  });
});
