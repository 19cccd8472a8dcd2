/**
 * Whoever sees one session neither reads nor changes anything of another over HTTP: every route, as viewer and as
 * operator, and every tool. The answer about the other session is the same as about one that does not exist. A route
 * without a row here fails the test.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientRole } from '../../../protocol/roles.ts';
import { routes } from '../../../worker/app.ts';
import { MARK, oneSessionToken, TwoSessions } from '../../support/two-sessions.ts';

let two: TwoSessions;
beforeAll(async () => {
  two = await TwoSessions.open();
});
afterAll(() => two[Symbol.asyncDispose]());

const NOBODYS = '00000000-0000-4000-8000-000000000000';
const ROLES = ['viewer', 'operator'] as const satisfies ClientRole[];

describe.each(ROLES)('a %s who sees one session, over HTTP', (role) => {
  interface Row {
    /** By role, or for both. */
    readonly status: number | { readonly viewer: number; readonly operator: number };
    readonly query?: string;
    readonly body?: unknown;
  }
  const operatorsOnly = (operator: number) => ({ viewer: 403, operator });
  const MCP = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
  const JSON_HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const SUBSCRIPTION = {
    endpoint: 'https://127.0.0.1/push',
    keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) },
  };
  const ws = '/api/workspaces/:ws';
  const one = `${ws}/sessions/:id`;
  const ROWS: Readonly<Record<string, Row>> = {
    'GET /health': { status: 200 },
    'GET /w/:ws': { status: 200 },
    'GET /w/:ws/manifest.webmanifest': { status: 200 },
    'GET /w/:ws/service-worker.js': { status: 200 },
    'GET /status': { status: 200 },
    'GET /status/:ws': { status: 200 },
    'GET /api/openapi.json': { status: 200 },
    'GET /assets/*': { status: 404 },
    'GET /': { status: 404 },
    'GET /robots.txt': { status: 200 },
    'GET /.well-known/security.txt': { status: 404 },
    [`GET ${ws}/login/challenge`]: { status: 200 },
    [`POST ${ws}/login`]: { status: 200 },
    [`DELETE ${ws}/login`]: { status: 204 },
    [`POST ${ws}/tickets`]: { status: 201, body: {} },
    [`POST ${ws}/device-codes`]: { status: 403, body: {} },
    'POST /api/join': { status: 401, body: {} },
    'POST /api/owner/links': { status: 401 },
    'POST /api/owner/login': { status: 401 },
    'DELETE /api/owner/login': { status: 401 },
    'GET /api/owner/invites': { status: 401 },
    'POST /api/owner/invites': { status: 401, body: {} },
    'DELETE /api/owner/invites/:id': { status: 401 },
    'GET /api/owner/machines': { status: 401 },
    'DELETE /api/owner/machines/:machine': { status: 401 },
    'PATCH /api/owner/machines/:machine': { status: 401, body: { displayName: null } },
    'GET /api/owner/machines/:machine/audit': { status: 401 },
    'GET /api/owner/login/challenge': { status: 200 },
    'GET /ws/owner': { status: 401 },
    'POST /api/owner/machines/:machine/links': { status: 401, body: { role: 'operator', seconds: 60 } },
    [`POST ${ws}/revocations`]: { status: 403, body: { jti: 'some-token' } },
    [`GET ${ws}/revocations`]: { status: 403 },
    [`DELETE ${ws}/revocations/:jti`]: { status: 403 },
    [`GET ${ws}/share-links`]: { status: 403 },
    [`POST ${ws}/share-links`]: { status: 403, body: { role: 'viewer', seconds: 60 } },
    [`DELETE ${ws}/share-links/:link`]: { status: 403 },
    [`GET ${ws}/audit`]: { status: 403 },
    [`GET ${ws}/agent-key`]: { status: 403 },
    [`DELETE ${ws}/agent-key`]: { status: 403 },
    [`GET ${ws}/health`]: { status: 403 },
    [`GET ${ws}/sessions`]: { status: 200, query: '?include=lost' },
    [`POST ${ws}/sessions`]: { status: 403, body: {} },
    [`GET ${one}`]: { status: 404 },
    [`PATCH ${one}`]: { status: 403, body: { name: 'theirs' } },
    [`DELETE ${one}`]: { status: 403 },
    [`POST ${one}/input`]: { status: operatorsOnly(404), body: { data: 'rm' } },
    [`POST ${one}/run`]: { status: operatorsOnly(404), body: { command: 'rm' } },
    [`POST ${one}/signal`]: { status: operatorsOnly(404), body: { signal: 'SIGKILL' } },
    [`POST ${one}/resize`]: { status: operatorsOnly(404), body: { cols: 10, rows: 5 } },
    [`GET ${one}/snapshot`]: { status: 404, query: '?format=text' },
    [`GET ${one}/commands`]: { status: 404 },
    [`GET ${one}/commands/:number/output`]: { status: 404 },
    [`GET ${one}/stream`]: { status: 404 },
    [`GET ${one}/wait`]: { status: 404, query: `?for=text&text=${MARK}` },
    [`GET ${ws}/digest`]: { status: 403, query: '?since=2026-11-17T10:00:00.000Z' },
    [`GET ${ws}/metrics`]: { status: 403 },
    [`GET ${ws}/push/key`]: { status: 403 },
    [`POST ${ws}/push/subscriptions`]: { status: 403, body: SUBSCRIPTION },
    [`DELETE ${ws}/push/subscriptions/:subscription`]: { status: 403 },
    'POST /mcp': { status: 200, body: { ...MCP, params: { name: 'list_sessions', arguments: {} } } },
    'GET /terminal/ws': { status: 403, query: '?workspace=test' },
    'GET /ws/workspaces/:ws': { status: 426 },
    'GET /ws/agent/:ws': { status: 403 },
  };

  it('[SEC26] [SL2] [SL5] every route has a row here', () => {
    const declared = routes
      .filter(({ method }) => method !== 'OPTIONS')
      .map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(ROWS).sort()).toEqual(declared.sort());
  });

  async function answer(
    route: string,
    session: string,
    body: unknown,
    query = '',
  ): Promise<[number, string]> {
    const [method = '', declared = ''] = route.split(' ');
    const path = declared.replace(':ws', 'test').replace(':id', session).replace(':number', '1');
    const response = await fetch(new URL(path + query, two.relay.url), {
      method,
      headers: {
        Authorization: `Bearer ${await oneSessionToken(two.relay, role, two.own.id)}`,
        ...(body === undefined ? {} : JSON_HEADERS),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [response.status, await response.text()];
  }

  it.each(Object.entries(ROWS))(
    '[SEC26] [SL2] [SL5] %s tells and changes nothing of another',
    async (route, row) => {
      const wanted = typeof row.status === 'number' ? row.status : row.status[role];
      await two.changesNothing(async () => {
        const [status, text] = await answer(route, two.other.id, row.body, row.query);
        expect(status, text).toBe(wanted);
        two.expectUnseen(text);
        if (!route.includes(':id') || route.includes('/invites/')) return;
        expect([status, text], 'as for one that does not exist').toEqual(
          await answer(route, NOBODYS, row.body, row.query),
        );
      });
    },
  );

  const tool = (name: string, args: object) => ({ ...MCP, params: { name, arguments: args } });
  it.each([
    ['list_sessions', () => ({})],
    ['read', () => ({ session: MARK })],
    ['read', () => ({ session: two.other.id })],
    ['wait', () => ({ session: two.other.id, for: 'text', text: MARK, timeoutSeconds: 1 })],
    ['run', () => ({ session: two.other.id, command: 'rm' })],
    ['send', () => ({ session: two.other.id, text: 'rm' })],
    ['open_session', () => ({ name: 'new' })],
    ['close_session', () => ({ session: two.other.id })],
  ])('[SEC26] [SL5] the tool %s', async (name, args) => {
    await two.changesNothing(async () => {
      const [, text] = await answer('POST /mcp', '', tool(name, args()));
      const [, ofNobody] = await answer(
        'POST /mcp',
        '',
        tool(
          name,
          JSON.parse(JSON.stringify(args()).replaceAll(two.other.id, NOBODYS).replaceAll(MARK, 'none')),
        ),
      );
      const plain = (answered: string) =>
        answered
          .replaceAll(NOBODYS, 'X')
          .replaceAll(two.other.id, 'X')
          .replaceAll(MARK, 'X')
          .replaceAll('none', 'X');
      expect(plain(text)).toBe(plain(ofNobody));
    });
  });
});
