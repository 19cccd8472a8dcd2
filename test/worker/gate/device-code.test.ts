/** Codes with which another device opens the page: bought with the page's key, used once, within a minute. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEVICE_CODE_LIFETIME_S, DEVICE_CODE_MAX_CHARS, SUB_MAX_CHARS } from '../../../protocol/limits.ts';
import { renewalCredential } from '../../../protocol/page-login.ts';
import { type DeviceCode, signDeviceCode, verifyDeviceCode } from '../../../worker/gate/device-code.ts';
import { PageBrowser } from '../../support/page-browser.ts';
import { SECRET, TestRelay } from '../../support/test-relay.ts';

const NOW = 1_800_000_000_000;
const KEYS = { secret: SECRET };
const token = {
  ws: 'test',
  role: 'operator',
  exp: NOW / 1000 + 3600,
  iat: NOW / 1000,
  jti: 'some-token',
} as const;
const CODE: DeviceCode = {
  token,
  role: 'viewer',
  exp: NOW / 1000 + DEVICE_CODE_LIFETIME_S,
  jti: 'some-code',
};

describe('a code for another device', () => {
  it.each([
    ['ordinary', {}],
    ['with a name and a region', { sub: 'Ann Özdemir, “ops” 😀.!', region: 'weur' }],
    ['with a token id of any characters', { jti: 'a.b!c~d%20 e/f' }],
    ['without a time of issue', { iat: undefined }],
    ['with the longest name and id', { sub: '😀'.repeat(SUB_MAX_CHARS / 2), jti: '\u{fffd}'.repeat(64) }],
  ])('[GT13] holds the claims of its token: %s', async (_what, more) => {
    const code = { ...CODE, token: JSON.parse(JSON.stringify({ ...token, ...more })) };
    const text = await signDeviceCode(code, KEYS);
    expect(text.length).toBeLessThanOrEqual(DEVICE_CODE_MAX_CHARS);
    expect(text).toMatch(/^[\w.!-]+$/);
    expect(await verifyDeviceCode(text, 'test', KEYS, NOW)).toEqual({ ok: true, claims: code });
  });

  it('[GT13] is short: at most 100 characters for an ordinary token', async () => {
    expect((await signDeviceCode(CODE, KEYS)).length).toBeLessThanOrEqual(100);
  });

  it('[GT13] is not valid if a character is changed, for another workspace, or with another secret', async () => {
    const text = await signDeviceCode(CODE, KEYS);
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === 'a' ? 'b' : 'a';
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      expect((await verifyDeviceCode(changed, 'test', KEYS, NOW)).ok, changed).toBe(false);
    }
    expect((await verifyDeviceCode(text, 'other', KEYS, NOW)).ok).toBe(false);
    const another = { secret: 'another secret that also has more than thirty-two bytes' };
    expect((await verifyDeviceCode(text, 'test', another, NOW)).ok).toBe(false);
    expect((await verifyDeviceCode(text, 'test', { ...another, previousSecret: SECRET }, NOW)).ok).toBe(true);
    const long = `${'a'.repeat(DEVICE_CODE_MAX_CHARS)}.b`;
    expect((await verifyDeviceCode(long, 'test', KEYS, NOW)).ok).toBe(false);
  });

  it('[GT13] expires after a minute, and says so', async () => {
    const text = await signDeviceCode(CODE, KEYS);
    const end = NOW + DEVICE_CODE_LIFETIME_S * 1000;
    expect((await verifyDeviceCode(text, 'test', KEYS, end - 1)).ok).toBe(true);
    expect(await verifyDeviceCode(text, 'test', KEYS, end)).toMatchObject({ reason: 'expired' });
  });
});

describe('the relay', () => {
  let relay: TestRelay;
  let page: PageBrowser;
  beforeAll(async () => {
    relay = await TestRelay.onWorkerd();
    page = await PageBrowser.open(relay);
  });
  afterAll(() => relay[Symbol.asyncDispose]());

  async function buy(headers: Record<string, string>, body: object = {}) {
    const response = await fetch(new URL('/api/workspaces/test/device-codes', relay.url), {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { code?: string; role?: string };
    return { status: response.status, code: answer.code ?? '', role: answer.role };
  }

  /** The headers of a page that proves its key. */
  async function proven(renewal: string): Promise<Record<string, string>> {
    const challenge = await page.challenge();
    const signature = await page.prove(renewal, challenge);
    const credential = renewalCredential({ renewal, challenge, signature });
    return { Authorization: `Renewal ${credential}`, Origin: relay.url.origin };
  }

  const use = async (code: string, origin = relay.url.origin) =>
    (await page.post({ Authorization: `Code ${code}`, Origin: origin }, {})).status;

  it('[GT13] sells a code for a token or for the key of a page, not for a cookie', async () => {
    const { renewal, cookie } = await page.logIn(`Bearer ${await relay.token('operator')}`);
    expect((await buy(await relay.bearer('operator'))).status).toBe(201);
    expect(await buy(await proven(renewal))).toMatchObject({ status: 201, role: 'operator' });
    expect((await buy({ Cookie: cookie, Origin: relay.url.origin })).status).toBe(401);
  });

  it('[GT13] accepts a code once, from our own page, and the login is as good as that of the token', async () => {
    const { code } = await buy(await relay.bearer('operator'));
    expect(await use(code, 'https://example.com')).toBe(403);
    const login = await page.post(
      { Authorization: `Code ${code}`, Origin: relay.url.origin },
      { key: await page.publicKey() },
    );
    expect(login.status).toBe(200);
    expect(await page.statusWith(login.cookie, '/revocations')).toBe(200);
    expect((await page.renew(login.renewal)).status).toBe(200);
    expect(await use(code)).toBe(401);
  });

  it('[GT13] sells a viewer no code for an operator, and an operator one for a viewer', async () => {
    expect((await buy(await relay.bearer('viewer'), { role: 'operator' })).status).toBe(403);
    expect(await buy(await relay.bearer('viewer'))).toMatchObject({ status: 201, role: 'viewer' });
    const { code } = await buy(await relay.bearer('operator'), { role: 'viewer' });
    const { cookie } = await page.post({ Authorization: `Code ${code}`, Origin: relay.url.origin }, {});
    expect(await page.statusWith(cookie, '/revocations')).toBe(403);
    expect((await buy(await relay.bearer('operator'), { role: 'agent' })).status).toBe(400);
  });

  it('[GT13] refuses a code as anything else, and sells none for a revoked token', async () => {
    const { code } = await buy(await relay.bearer('operator'));
    for (const scheme of ['Bearer', 'Ticket', 'Renewal', 'Owner', 'Invite', 'Link']) {
      const headers = { Authorization: `${scheme} ${code}` };
      const answer = await fetch(new URL('/api/workspaces/test/health', relay.url), { headers });
      expect(answer.status, scheme).toBe(401);
    }
    const token = await relay.mint({ role: 'operator' });
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    await fetch(new URL('/api/workspaces/test/revocations', relay.url), {
      method: 'POST',
      headers: await relay.bearer('operator'),
      body: JSON.stringify({ jti }),
    });
    expect((await buy({ Authorization: `Bearer ${token}` })).status).toBe(401);
  });
});
