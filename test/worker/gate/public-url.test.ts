/** A relay behind a proxy that terminates TLS: only the configured public address determines its origin. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownAddress, readPublicUrl } from '../../../worker/gate/own-address.ts';
import { TestRelay } from '../../support/test-relay.ts';

const PUBLIC = 'https://relay.example.com';
const LOGIN = '/api/workspaces/test/login';
const HEALTH = '/api/workspaces/test/health';

let behind: TestRelay;
let bare: TestRelay;
beforeAll(async () => {
  behind = await TestRelay.onWorkerd({ settings: { RELAY_PUBLIC_URL: PUBLIC } });
  bare = await TestRelay.onWorkerd();
});
afterAll(async () => {
  await behind[Symbol.asyncDispose]();
  await bare[Symbol.asyncDispose]();
});

async function login(relay: TestRelay, origin: string, more: Record<string, string> = {}): Promise<Response> {
  const headers = { ...(await relay.bearer('operator')), Origin: origin, ...more };
  return fetch(new URL(LOGIN, relay.url), { method: 'POST', headers });
}

const cookieOf = (response: Response) => (response.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';

describe('RELAY_PUBLIC_URL', () => {
  it('[GT4] makes the cookie that for https, accepted with exactly that origin', async () => {
    const answer = await login(behind, PUBLIC);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Set-Cookie')).toMatch(
      /^__Host-holdfast-test=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    const ask = (headers: Record<string, string>) =>
      fetch(new URL(HEALTH, behind.url), { headers: { Cookie: cookieOf(answer), ...headers } });
    expect((await ask({ Origin: PUBLIC })).status).toBe(200);
    expect((await ask({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200);
    expect((await ask({})).status).toBe(403);
    expect(
      (await ask({ Origin: behind.url.origin })).status,
      'the address behind the proxy is no page of ours',
    ).toBe(403);
    expect((await ask({ Origin: 'http://relay.example.com' })).status).toBe(403);
  });

  it('[GT6] makes a page with another name foreign, but not a program with a token', async () => {
    expect((await login(behind, behind.url.origin)).status).toBe(403);
    const answer = await fetch(new URL(HEALTH, behind.url), { headers: await behind.bearer('operator') });
    expect(answer.status).toBe(200);
  });

  it('[GT7] is the origin of a ticket unless another is given', async () => {
    const answer = await fetch(new URL('/api/workspaces/test/tickets', behind.url), {
      method: 'POST',
      headers: await behind.bearer('operator'),
    });
    expect(await answer.json()).toMatchObject({ origin: PUBLIC });
  });

  it.each([
    { 'X-Forwarded-Proto': 'https' },
    { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'relay.example.com' },
    { Forwarded: 'proto=https;host=relay.example.com' },
  ])('[GT4] without it, a header that anybody can send (%o) does not change our origin', async (headers) => {
    const answer = await login(bare, PUBLIC, headers as Record<string, string>);
    expect([answer.status, answer.headers.get('Set-Cookie')]).toEqual([403, null]);
  });

  it.each([
    [undefined, null],
    ['', null],
    ['relay.example.com', null],
    ['ftp://relay.example.com', null],
    ['https://relay.example.com/terminals', null],
    ['https://relay.example.com', 'https://relay.example.com'],
    ['https://relay.example.com:8443/', 'https://relay.example.com:8443'],
  ])('reads %s as %s', (setting, origin) => {
    expect(readPublicUrl(setting)?.origin ?? null).toBe(origin);
  });

  it('keeps path and query', () => {
    const own = ownAddress('http://10.0.0.1:8787/w/a?renderer=dom', new URL(PUBLIC));
    expect(own.href).toBe('https://relay.example.com/w/a?renderer=dom');
  });

  it.each(['//evil.example/x', '/api/workspaces/w/revocations/..\\..\\..\\..\\\\evil.example'])(
    '[GT4] [GT6] is our origin whatever the path says: %s',
    (path) => {
      expect(ownAddress(`http://10.0.0.1:8787${path}`, new URL(PUBLIC)).origin).toBe(PUBLIC);
    },
  );
});
