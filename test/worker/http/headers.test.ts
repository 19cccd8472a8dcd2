/** Every response has the required headers, for every route and every status. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../../worker/app.ts';
import { ASSET_HEADERS } from '../../../worker/http/response-headers.ts';
import { readContact } from '../../../worker/platform/contact.ts';
import { TestRelay } from '../../support/test-relay.ts';

const EMBEDDER = 'https://ide.example';
let relay: TestRelay;
let secure: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.onWorkerd({ settings: { RELAY_ORIGINS: EMBEDDER } });
  secure = await TestRelay.onWorkerd({
    settings: {
      RELAY_PUBLIC_URL: 'https://relay.example.com',
      RELAY_SECURITY_CONTACT: 'security@example.com',
    },
  });
});
afterAll(() => Promise.all([relay[Symbol.asyncDispose](), secure[Symbol.asyncDispose]()]));

const isPage = (path: string) => /^\/(?:w|status)(?:\/|$)/.test(path);
/** Pages for people, without what belongs to them. */
const isShown = (path: string) => isPage(path) && !/\.(?:js|webmanifest)$/.test(path);
const isSocket = (path: string) => /^\/(?:ws|terminal)\//.test(path);
const addressOf = (path: string, on: TestRelay) => {
  const filled = path.replace(':ws', 'test').replace(':id', 's1').replace(':jti', 'some-token');
  return new URL(isSocket(path) ? `${filled}?workspace=test` : filled, on.url);
};

/** With and without a credential, so that refusals and answers are both checked. */
async function answersOf({ method, path }: (typeof routes)[number], on: TestRelay): Promise<Response[]> {
  const answers: Response[] = [];
  for (const headers of [{}, await on.bearer('operator'), { Authorization: 'Bearer nonsense' }]) {
    const answer = await fetch(addressOf(path, on), { method, headers: headers as Record<string, string> });
    await answer.arrayBuffer();
    answers.push(answer);
  }
  return answers;
}

describe('every response', () => {
  it.each(routes.filter(({ path }) => path !== '/assets/*'))(
    '[SEC20] [X17] to $method $path forbids caching, type sniffing, embedding and referrers',
    async (route) => {
      for (const { headers, status } of await answersOf(route, relay)) {
        const said = `${status}`;
        expect(headers.get('X-Content-Type-Options'), said).toBe('nosniff');
        expect(headers.get('Referrer-Policy'), said).toBe('no-referrer');
        expect(headers.get('Cross-Origin-Resource-Policy'), said).toBe('same-origin');
        expect(headers.get('Cache-Control'), said).toMatch(isPage(route.path) ? /^no-cache$/ : /^no-store\b/);
        expect(headers.get('Strict-Transport-Security'), 'not over plain http').toBeNull();
      }
    },
  );

  it('[X17] has these headers, including 404 and 500', async () => {
    await relay.fail(true);
    const failed = await fetch(addressOf('/api/workspaces/:ws/health', relay), {
      headers: await relay.bearer('operator'),
    });
    await relay.fail(false);
    const missing = await fetch(new URL('/nothing', relay.url));
    expect([failed.status, missing.status]).toEqual([500, 404]);
    for (const { headers } of [failed, missing]) {
      expect(headers.get('Cache-Control')).toBe('no-store');
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    }
  });

  it('[X17] may be read by a listed embedder, and by nobody else', async () => {
    const path = '/api/workspaces/:ws/health';
    const headers = { ...(await relay.bearer('operator')), Origin: EMBEDDER };
    const answer = await fetch(addressOf(path, relay), { headers });
    expect(answer.headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
    const foreign = await fetch(addressOf(path, relay), { headers: { Origin: 'https://example.com' } });
    expect(foreign.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin');
  });

  it.each(['/w/test', '/health', '/api/workspaces/test/health', '/nothing'])(
    '[X17] at %s enforces https if our own address has it',
    async (path) => {
      const { headers } = await fetch(new URL(path, secure.url));
      expect(headers.get('Strict-Transport-Security')).toBe('max-age=15552000');
    },
  );

  it.each(['https://localhost:8443', 'https://127.0.0.1:8443', 'https://dev.localhost'])(
    '[X17] does not at %s: a browser would remember it for every port of that name',
    async (url) => {
      await using own = await TestRelay.onWorkerd({ settings: { RELAY_PUBLIC_URL: url } });
      const { headers } = await fetch(new URL('/health', own.url));
      expect(headers.get('Strict-Transport-Security')).toBeNull();
    },
  );
});

describe('pages', () => {
  it.each(routes.filter(({ path }) => isShown(path)))(
    '[X17] [SEC11] $path may use the clipboard and nothing else, and is never framed',
    async ({ path }) => {
      const { headers } = await fetch(addressOf(path, relay));
      const policy = headers.get('Permissions-Policy') ?? '';
      const allowed = policy.split(', ').filter((entry) => !entry.endsWith('=()'));
      expect(allowed).toEqual(['clipboard-read=(self)', 'clipboard-write=(self)']);
      expect(policy).toMatch(/camera=\(\)/);
      expect(headers.get('X-Frame-Options')).toBe('DENY');
      expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
    },
  );
});

describe('static files', () => {
  it('[X17] have the headers that other hosts are told to send', async () => {
    const [rule, ...lines] = readFileSync(new URL('../../../web/public/_headers', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    expect(rule).toBe('/assets/*');
    expect(Object.fromEntries(lines.map((line) => line.trim().split(/: (.*)/)))).toEqual(ASSET_HEADERS);
    const page = await (await fetch(new URL('/w/test', relay.url))).text();
    for (const [, path = ''] of page.matchAll(/(?:src|href)="(?:\.\/|\/)?(assets\/[^"]+)"/g)) {
      const { headers, status } = await fetch(new URL(`/${path}`, relay.url));
      expect(status).toBe(200);
      for (const [name, value] of Object.entries(ASSET_HEADERS)) expect(headers.get(name), path).toBe(value);
    }
  });
});

describe('well-known files', () => {
  it('[X17] security.txt has a contact and an expiry; without a contact it does not exist', async () => {
    const answer = await fetch(new URL('/.well-known/security.txt', secure.url));
    expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain/);
    const text = await answer.text();
    expect(text).toMatch(/^Contact: mailto:security@example\.com$/m);
    expect(text).toMatch(/^Canonical: https:\/\/relay\.example\.com\/\.well-known\/security\.txt$/m);
    const [, expires = ''] = /^Expires: (.+)$/m.exec(text) ?? [];
    expect(Date.parse(expires)).toBeGreaterThan(Date.now());
    expect(Date.parse(expires)).toBeLessThan(Date.now() + 365 * 86_400_000);
    expect((await fetch(new URL('/.well-known/security.txt', relay.url))).status).toBe(404);
  });

  it.each([
    ['security@example.com', 'mailto:security@example.com'],
    ['mailto:security@example.com', 'mailto:security@example.com'],
    ['https://example.com/report', 'https://example.com/report'],
    [
      'https://example.com/\nContact: mailto:evil@example.com',
      'https://example.com/Contact:%20mailto:evil@example.com',
    ],
    ['javascript:alert(1)', null],
    ['http://example.com', null],
    ['nobody', null],
    ['', null],
    [undefined, null],
  ])('[X17] a contact %j is %j', (setting, contact) => {
    expect(readContact(setting)).toBe(contact);
  });

  it('robots.txt keeps search engines out', async () => {
    expect(await (await fetch(new URL('/robots.txt', relay.url))).text()).toBe(
      'User-agent: *\nDisallow: /\n',
    );
  });
});
