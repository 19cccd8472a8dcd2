/** `/mcp` and requests that no client of the SDK sends: wrong methods, bodies, credentials and origins. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JSON_VALUES_MAX, MCP_MESSAGE_MAX_BYTES } from '../../../protocol/limits.ts';
import { McpClient } from '../../support/mcp-client.ts';
import { checkProperty } from '../../support/property.ts';
import { ScriptedRunner } from '../../support/scripted-runner.ts';
import { TestRelay } from '../../support/test-relay.ts';

const EMBEDDER = 'https://embedder.example';

let relay: TestRelay;
let agent: ScriptedRunner;
let bearer: Record<string, string>;

beforeAll(async () => {
  relay = await TestRelay.onWorkerd({ settings: { RELAY_ORIGINS: EMBEDDER } });
  agent = await ScriptedRunner.on(relay);
  bearer = await relay.bearer('operator');
});
afterAll(async () => {
  agent.vanishes();
  await relay[Symbol.asyncDispose]();
});

const JSON_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

function post(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(new URL('/mcp', relay.url), {
    method: 'POST',
    headers: { ...bearer, ...JSON_HEADERS, ...headers },
    body,
  });
}

const rpc = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** The relay still answers a client that behaves. */
async function stillServes(): Promise<void> {
  const token = await relay.token('operator');
  const place = { relay: relay.url, workspace: relay.workspace, token };
  await using mcp = await McpClient.connect(place, { transport: 'http', revision: '2026-07-28' });
  expect(await mcp.facts('list_sessions', {})).toMatchObject({ machine: 'online' });
}

describe('/mcp', () => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])(
    '[A2] answers %s with 405 and says what it takes',
    async (method) => {
      const response = await fetch(new URL('/mcp', relay.url), { method, headers: bearer });
      expect(response.status).toBe(405);
      expect(response.headers.get('Allow')).toContain('POST');
    },
  );

  it('[A2] keeps no session, and opens one socket to the workspace for each call', async () => {
    const before = await relay.counts();
    const listed = await post(rpc('tools/list'));
    expect(listed.status).toBe(200);
    expect(listed.headers.get('Mcp-Session-Id')).toBeNull();
    expect((await relay.counts()).sockets, 'a list needs no workspace').toBe(before.sockets);
    const called = await post(rpc('tools/call', { name: 'list_sessions', arguments: {} }));
    expect(await called.text()).toContain('"machine":"online"');
    expect((await relay.counts()).sockets).toBe(before.sockets + 1);
  });

  it.each([
    { what: 'nothing', body: '', status: 400 },
    { what: 'no JSON', body: '{"jsonrpc":', status: 400 },
    { what: 'bytes that are not UTF-8', body: Uint8Array.of(0x22, 0xff, 0x22), status: 400 },
    { what: 'a number', body: '1', status: 400 },
    { what: 'null', body: 'null', status: 400 },
    { what: 'an object', body: '{}', status: 400 },
    { what: 'another version', body: '{"jsonrpc":"1.0","id":1,"method":"ping"}', status: 400 },
    { what: 'a batch', body: `[${rpc('tools/list')},${rpc('tools/list')}]`, status: 400 },
    { what: 'an empty batch', body: '[]', status: 400 },
    { what: 'too many values', body: `[${'0,'.repeat(JSON_VALUES_MAX)}0]`, status: 400 },
    { what: 'too many bytes', body: `"${'x'.repeat(MCP_MESSAGE_MAX_BYTES - 1)}"`, status: 413 },
  ])('[A2] refuses $what', async ({ body, status }) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toMatch(/\w/);
  });

  it('[A2] takes the longest message', async () => {
    const message = rpc('tools/list', { padding: '' });
    const padding = 'x'.repeat(MCP_MESSAGE_MAX_BYTES - message.length);
    expect((await post(rpc('tools/list', { padding }))).status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('[A2] refuses %s', async (type) => {
    expect((await post(rpc('tools/list'), { 'Content-Type': type })).status).toBe(415);
  });

  it('[A2] does not keep a stream open for changes that never come', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const info = { 'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' } };
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': {} };
    const params = {
      notifications: { toolsListChanged: true },
      _meta: { ...meta, ...info, ...capabilities },
    };
    const response = await post(rpc('subscriptions/listen', params), {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'subscriptions/listen',
    });
    expect(await response.text()).toContain('"error"');
  });

  it('[A2] [GT6] answers pages of embedders, and no others', async () => {
    const asked = await fetch(new URL('/mcp', relay.url), {
      method: 'OPTIONS',
      headers: { Origin: EMBEDDER },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('Access-Control-Allow-Headers')).toContain('MCP-Protocol-Version');
    const allowed = await post(rpc('tools/list'), { Origin: EMBEDDER });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('Access-Control-Allow-Origin')).toBe(EMBEDDER);
    expect((await post(rpc('tools/list'), { Origin: 'https://example.com' })).status).toBe(403);
  });

  it('[A2] an error of a tool has no stack, and repeats no value', async () => {
    const secret = 'a-secret-that-nobody-repeats';
    for (const input of [{ session: secret, since: -1 }, { session: `${secret} !` }, { [secret]: 1 }, []]) {
      const text = await (await post(rpc('tools/call', { name: 'read', arguments: input }))).text();
      expect(text).toMatch(/bad_request|error/);
      expect(text).not.toMatch(/\bat .*\.js:\d+/);
      if (!(secret in input)) expect(text).not.toContain(secret);
    }
  });

  it('[A2] survives whatever is sent to it', async () => {
    const names = fc.constantFrom(
      'tools/call',
      'tools/list',
      'initialize',
      'ping',
      'server/discover',
      'logging/setLevel',
    );
    const params = fc.oneof(
      fc.record({
        name: fc.oneof(fc.string(), fc.constantFrom('run', 'wait', 'keys', 'read')),
        arguments: fc.jsonValue(),
      }),
      fc.jsonValue(),
    );
    const messages = fc.record(
      {
        jsonrpc: fc.oneof(fc.constant('2.0'), fc.jsonValue()),
        id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.jsonValue()),
        method: fc.oneof(names, fc.string()),
        params,
      },
      { requiredKeys: [] },
    );
    await checkProperty(
      'mcp bodies',
      fc.asyncProperty(fc.oneof(messages, fc.jsonValue()), async (message) => {
        const { status } = await post(JSON.stringify(message));
        expect([200, 202, 400, 404, 429]).toContain(status);
      }),
      { numRuns: 60 },
    );
    await stillServes();
  });
});

describe('the workspace', () => {
  it('[A2] [GT3] is that of the token, whatever the address says', async () => {
    const other = relay.another();
    const sessionsFor = async (query: string, headers: Record<string, string>) => {
      const response = await fetch(new URL(`/mcp${query}`, relay.url), {
        method: 'POST',
        headers: { ...headers, ...JSON_HEADERS },
        body: rpc('tools/call', { name: 'list_sessions', arguments: {} }),
      });
      return response.text();
    };
    const query = `?workspace=${other.workspace}`;
    expect(await sessionsFor(query, bearer)).toContain('"machine":"online"');
    const ofOther = await sessionsFor(`?workspace=${relay.workspace}`, await other.bearer('operator'));
    expect(ofOther).toContain('"machine":"offline"');
  });

  it('[A2] [GT8] refuses a token that was revoked', async () => {
    const token = await relay.token('operator');
    const [, claims = ''] = token.split('.');
    const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: string };
    const revoked = await fetch(new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url), {
      method: 'POST',
      headers: { ...bearer, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jti }),
    });
    expect(revoked.ok).toBe(true);
    const call = rpc('tools/call', { name: 'list_sessions', arguments: {} });
    const answer = await post(call, { Authorization: `Bearer ${token}` });
    expect(await answer.text()).toContain('unauthorized');
  });
});
