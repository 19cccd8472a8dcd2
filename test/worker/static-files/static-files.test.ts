/** The page's files on plain workerd, compared with wrangler's own asset service. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Relay, startRelay } from '../../../cli/relay/relay.ts';
import { PROJECT } from '../../../node/project.ts';
import { headersFor, parseHeaderRules } from '../../../worker/static-files/header-rules.ts';
import { mediaTypeOf } from '../../../worker/static-files/media-types.ts';
import { miniflareOptions } from '../../support/miniflare-relay.ts';

const names = readdirSync(new URL('dist/web/assets/', PROJECT));
const named = (pattern: RegExp) => `/assets/${names.find((name) => pattern.test(name))}`;
const [script, style, icon] = [named(/^index-.*\.js$/), named(/\.css$/), named(/\.svg$/)];

const dir = mkdtempSync(join(tmpdir(), 'holdfast-files-'));
let ours: Relay;
let wrangler: Miniflare;
const at: Record<'ours' | 'wrangler', string> = { ours: '', wrangler: '' };

beforeAll(async () => {
  const options = { host: '127.0.0.1', port: 0, secret: 'a secret of more than thirty-two bytes' };
  ours = await startRelay({ ...options, stateDir: join(dir, 'ours') });
  wrangler = new Miniflare(await miniflareOptions({ ...options, stateDir: join(dir, 'wrangler') }));
  at.ours = ours.url.port;
  at.wrangler = (await wrangler.ready).port;
});
afterAll(async () => {
  await ours?.stop();
  await wrangler?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Without `fetch`, which would normalise the path and the encoding. */
function ask(whom: 'ours' | 'wrangler', method: string, path: string, headers = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: at[whom], method, path, headers };
    request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

describe('a static file', () => {
  it.each([
    ['GET', script],
    ['GET', style],
    ['GET', icon],
    ['GET', `${icon}?v=1`],
    ['HEAD', icon],
    ['POST', icon],
    ['DELETE', icon],
    ['GET', '/assets/missing.js'],
    ['GET', '/assets/'],
    ['GET', '/assets'],
    ['GET', `${icon}/`],
    ['GET', icon.replace('/assets/', '/assets//')],
    ['GET', icon.replace('/assets/', '/assets/./')],
    ['GET', icon.replace('icon', '%69con')],
    ['GET', '/assets/../index.html'],
    ['GET', '/assets/%2e%2e/index.html'],
    ['GET', '/assets/..%2findex.html'],
    ['GET', '/assets/%zz'],
    ['GET', '/assets/__proto__'],
    ['GET', '/_headers'],
    ['GET', '/index.html'],
  ])('%s %s gets the same answer as from wrangler', async (method, path) => {
    const [mine, theirs] = [await ask('ours', method, path), await ask('wrangler', method, path)];
    expect(mine.status).toBe(theirs.status);
    expect(mine.headers.location).toBe(theirs.headers.location);
    if (mine.status !== 200) return;
    expect(mine.headers['content-type']).toBe(theirs.headers['content-type']);
    expect(mine.headers['cache-control']).toBe(theirs.headers['cache-control']);
    expect(mine.headers['x-content-type-options']).toBe('nosniff');
    expect(mine.headers.etag).toMatch(/^"[0-9a-f]+-[0-9a-f]+"$/);
    expect(mine.body.equals(theirs.body)).toBe(true);
  });

  it('is not sent again to a browser that has it', async () => {
    for (const whom of ['ours', 'wrangler'] as const) {
      const { headers } = await ask(whom, 'GET', icon);
      const tags = [`${headers.etag}`, `W/${headers.etag}`, '"other"', `"other", ${headers.etag}`];
      const statuses = [];
      for (const tag of tags.slice(0, 3))
        statuses.push((await ask(whom, 'GET', icon, { 'If-None-Match': tag })).status);
      expect([whom, ...statuses]).toEqual([whom, 304, 304, 200]);
    }
    const { headers } = await ask('ours', 'GET', icon);
    const several = await ask('ours', 'GET', icon, { 'If-None-Match': `"other", ${headers.etag}` });
    expect([several.status, several.body.length]).toEqual([304, 0]);
  });

  it('is compressed for clients that accept it', async () => {
    for (const whom of ['ours', 'wrangler'] as const) {
      const plain = await ask(whom, 'GET', script);
      const packed = await ask(whom, 'GET', script, { 'Accept-Encoding': 'br;q=0.5, gzip' });
      expect([whom, packed.headers['content-encoding']]).toEqual([whom, 'gzip']);
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    }
    const refused = await ask('ours', 'GET', script, { 'Accept-Encoding': 'gzip;q=0' });
    expect(refused.headers['content-encoding']).toBeUndefined();
    expect(refused.headers.vary).toBe('Accept-Encoding');
  });

  it.each([
    ['gzip ; q=0.5', 'gzip'],
    ['br, GZIP;Q=1', 'gzip'],
    ['gzip;q=0.000, br', undefined],
    ['x-gzip', undefined],
    ['gzip br', undefined],
  ])('for a client that accepts "%s" is encoded as %s', async (accepted, encoding) => {
    const { headers } = await ask('ours', 'GET', script, { 'Accept-Encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
  });

  it.each(['ok', 'missing', 'escaped'] as const)(
    '[X17] has the headers of every response: %s',
    async (kind) => {
      const path = { ok: icon, missing: '/assets/missing.js', escaped: '/assets/%2e%2e/index.html' }[kind];
      const { headers } = await ask('ours', 'GET', path);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cache-control']).toMatch(kind === 'ok' ? /immutable/ : /^no-store$/);
    },
  );

  it('that is missing is not cached by browsers', async () => {
    expect((await ask('ours', 'GET', '/assets/missing.js')).headers['cache-control']).toBe('no-store');
  });
});

describe('media types', () => {
  it.each([
    ['/a.js', 'text/javascript; charset=utf-8'],
    ['/a.JS', 'text/javascript; charset=utf-8'],
    ['/a.unknown', 'application/octet-stream'],
    ['/js', 'application/octet-stream'],
  ])('%s is %s', (path, type) => expect(mediaTypeOf(path)).toBe(type));
});

describe('a _headers file', () => {
  const rules = parseHeaderRules('# comment\n\n/assets/*\n  A: 1\n  B: x: y\n/assets/one\n  A: 2\n');
  it.each([
    ['/assets/one', { a: '2', b: 'x: y' }],
    ['/assets/two', { a: '1', b: 'x: y' }],
    ['/other', {}],
  ])('sets the headers of the rules that match %s', (path, headers) => {
    expect(Object.fromEntries(headersFor(path, rules))).toEqual(headers);
  });
});
