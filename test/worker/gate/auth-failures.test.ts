/** Failed authentications are counted and delayed, and nobody can lock out another person. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AUTH_FAILURES_IN_ALL_MAX,
  AUTH_FAILURES_PER_SOURCE_MAX,
  AUTH_FAILURES_WINDOW_MS,
  AUTH_SOURCES_MAX,
} from '../../../protocol/limits.ts';
import { AuthFailures } from '../../../worker/gate/auth-failures.ts';
import { authSource } from '../../../worker/gate/auth-source.ts';
import { TestRelay } from '../../support/test-relay.ts';

function failing(source: string, times: number, now = 0, failures = new AuthFailures()): AuthFailures {
  for (let i = 0; i < times; i++) failures.failed(source, now);
  return failures;
}

describe('a source of failures', () => {
  it('[GT12] may fail a limited number of times per window, and again in the next', () => {
    const failures = failing('a', AUTH_FAILURES_PER_SOURCE_MAX - 1);
    expect(failures.failed('a', 1_000)).toBe(0);
    expect(failures.failed('a', 1_000)).toBe(AUTH_FAILURES_WINDOW_MS - 1_000);
    expect(failures.failed('a', AUTH_FAILURES_WINDOW_MS - 1)).toBe(1);
    expect(failures.failed('a', AUTH_FAILURES_WINDOW_MS)).toBe(0);
  });

  it('[GT12] does not delay another one', () => {
    const failures = failing('a', AUTH_FAILURES_PER_SOURCE_MAX * 2);
    expect(failures.failed('b', 0)).toBe(0);
  });

  it('[GT12] waits at most one window, even if the clock is set back', () => {
    const failures = failing('a', AUTH_FAILURES_PER_SOURCE_MAX, 10 * AUTH_FAILURES_WINDOW_MS);
    expect(failures.failed('a', 0)).toBe(0);
  });

  it('[GT12] is forgotten when there are too many, the oldest first', () => {
    const failures = failing('oldest', AUTH_FAILURES_PER_SOURCE_MAX);
    for (let i = 0; i < AUTH_SOURCES_MAX - 1; i++) failures.failed(`other ${i}`, 0);
    failures.failed('one more', AUTH_FAILURES_WINDOW_MS - 1);
    expect(failures.sources).toBe(AUTH_SOURCES_MAX);
    // All of them were too many in that window, so only a new one shows it.
    expect(failing('oldest', AUTH_FAILURES_PER_SOURCE_MAX, AUTH_FAILURES_WINDOW_MS, failures).sources).toBe(
      AUTH_SOURCES_MAX,
    );
    expect(failures.failed('oldest', AUTH_FAILURES_WINDOW_MS)).toBe(AUTH_FAILURES_WINDOW_MS);
  });
});

describe('the total of failures', () => {
  it('[GT12] delays failing requests after too many, and only in that window', () => {
    const failures = new AuthFailures();
    for (let i = 0; i < AUTH_FAILURES_IN_ALL_MAX; i++) expect(failures.failed(`source ${i}`, 0)).toBe(0);
    expect(failures.failed('one more', 0)).toBe(AUTH_FAILURES_WINDOW_MS);
    expect(failures.failed('one more', AUTH_FAILURES_WINDOW_MS)).toBe(0);
  });

  it('[GT12] is counted by reason', () => {
    const failures = new AuthFailures();
    failures.count('expired');
    failures.count('expired');
    expect([failures.totals.get('expired'), failures.totals.get('invalid')]).toEqual([2, 0]);
  });
});

describe('the source of a failure', () => {
  const from = (address: string | null, cf: object | undefined) => {
    const headers = new Headers(address === null ? {} : { 'CF-Connecting-IP': address });
    return authSource({ headers, cf } as unknown as Request, 'a.token.signature');
  };

  const AT_CLOUDFLARE = { colo: 'FRA' };

  it.each([
    ['203.0.113.7', AT_CLOUDFLARE, 'address 203.0.113.7'],
    ['2001:DB8:1:2:3:4:5:6', AT_CLOUDFLARE, 'address 2001:db8:1:2'],
    ['2001:db8::1', AT_CLOUDFLARE, 'address 2001:db8:0:0'],
    ['::5:6:7', AT_CLOUDFLARE, 'address 0:0:0:0'],
    // Miniflare and `wrangler dev` say that they are Cloudflare.
    ['127.0.0.1', AT_CLOUDFLARE, 'credential a.token.signature'],
    ['::1', AT_CLOUDFLARE, 'credential a.token.signature'],
    ['::ffff:127.0.0.1', AT_CLOUDFLARE, 'credential a.token.signature'],
    [null, AT_CLOUDFLARE, 'credential a.token.signature'],
    // workerd by itself: the header is the client's own claim, the peer may be a proxy.
    ['203.0.113.7', { clientIp: '198.51.100.1:4711' }, 'credential a.token.signature'],
    ['203.0.113.7', undefined, 'credential a.token.signature'],
  ])('[GT12] %s with cf %j is %s', (address, cf, expected) => {
    expect(from(address, cf)).toBe(expected);
  });

  it('[GT12] stores only enough of a credential to distinguish it', () => {
    const request = { headers: new Headers() } as unknown as Request;
    expect(authSource(request, 'x'.repeat(10_000)).length).toBeLessThan(100);
  });
});

describe('at the gate', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await TestRelay.start();
  });
  afterAll(() => relay[Symbol.asyncDispose]());

  const ask = (token: string, headers: Record<string, string> = {}) =>
    fetch(new URL('/api/workspaces/test/health', relay.url), {
      headers: { Authorization: `Bearer ${token}`, ...headers },
    });

  it('[GT12] a credential that fails repeatedly gets 429 with a time to wait, and wakes no object', async () => {
    const before = await relay.counts();
    for (let i = 0; i < AUTH_FAILURES_PER_SOURCE_MAX; i++) expect((await ask('nonsense')).status).toBe(401);
    const refused = await ask('nonsense');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: 'too_many_attempts' } });
    expect(await relay.counts()).toEqual(before);
    expect((await ask(await relay.token('operator'))).status, 'another token is not concerned').toBe(200);
  });

  it('[GT12] forged tokens with the id of another person do not lock that person out', async () => {
    const token = await relay.token('operator');
    const [head, claims] = token.split('.');
    for (let i = 0; i <= AUTH_FAILURES_PER_SOURCE_MAX; i++) await ask(`${head}.${claims}.forged-${i}`);
    expect((await ask(token)).status).toBe(200);
  });

  it('[GT12] an address with too many failures delays further failures; valid requests pass there too', async () => {
    const here = { 'CF-Connecting-IP': '203.0.113.7' };
    const token = await relay.token('operator');
    for (let i = 0; i < AUTH_FAILURES_PER_SOURCE_MAX; i++) await ask(`nonsense-${i}`, here);
    expect((await ask('nonsense', here)).status).toBe(429);
    expect((await ask('nonsense', { 'CF-Connecting-IP': '203.0.113.8' })).status).toBe(401);
    expect((await ask(token, here)).status).toBe(200);
  });

  it('[GT12] the metrics say how many requests were refused, and why', async () => {
    await using own = await TestRelay.start();
    const at = (path: string) => new URL(`/api/workspaces/test${path}`, own.url);
    const operator = await own.bearer('operator');
    const stolen = await own.token('operator');
    const jti = JSON.parse(Buffer.from(stolen.split('.')[1] ?? '', 'base64url').toString()).jti;
    await fetch(at('/revocations'), { method: 'POST', headers: operator, body: JSON.stringify({ jti }) });
    for (const headers of [
      {},
      { Authorization: 'Bearer nonsense' },
      { Authorization: `Bearer ${await own.token('operator', 'test', -5)}` },
      { Authorization: `Bearer ${stolen}` },
      await own.bearer('operator', 'other'),
      await own.bearer('agent'),
      { ...operator, Origin: 'https://example.com' },
      { Authorization: 'Ticket nonsense' },
    ]) {
      await (await fetch(at('/health'), { headers: headers as Record<string, string> })).text();
    }
    const metrics = await (await fetch(at('/metrics'), { headers: operator })).text();
    const counts = Object.fromEntries(
      [...metrics.matchAll(/^holdfast_relay_auth_failures_total\{reason="(\w+)"\} (\d+)$/gm)].map(
        ([, reason, count]) => [reason, Number(count)],
      ),
    );
    expect(counts).toEqual({
      missing: 1,
      invalid: 1,
      expired: 1,
      revoked: 1,
      workspace: 1,
      role: 1,
      origin: 1,
      kind: 1,
      too_many: 0,
    });
    expect(metrics).toMatch(/^# HELP holdfast_relay_auth_failures_total .*this isolate/m);
  });
});
