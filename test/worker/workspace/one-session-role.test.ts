/**
 * Whoever sees one session neither reads nor changes anything of another: every message, every kind of frame and every
 * route, as viewer and as operator, in a workspace with two sessions and a real agent. The answer about the other session
 * is the same as about one that does not exist. A route without a row here fails the test.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, type FrameKind, KINDS } from '../../../protocol/frame.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { routes } from '../../../worker/app.ts';
import { CLIENT_MESSAGES } from '../../protocol/message-examples.ts';
import { AgentOnLink } from '../../support/agent-on-link.ts';
import { oneSessionToken } from '../../support/one-session-token.ts';
import { connectClient } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { TestRelay } from '../../support/test-relay.ts';

/** In everything that can be told of the other session: its name, output, title, directory and command. */
const MARK = 'unseen';
const NOBODYS = '00000000-0000-4000-8000-000000000000';

let relay: TestRelay;
let machine: AgentOnLink;
let operator: ScriptedPeer;
let own: { readonly id: string; readonly handle: number };
let other: { readonly id: string; readonly handle: number };
let operatorChannels: number[];

beforeAll(async () => {
  relay = await TestRelay.onWorkerd();
  machine = await AgentOnLink.connect(relay);
  const size = { cols: 80, rows: 24 };
  own = machine.agent.sessions.create({ size, name: 'mine', key: 'mine' }).identity;
  other = machine.agent.sessions.create({ size, name: MARK, key: MARK, cwd: `/${MARK}` }).identity;
  machine.spawner.ptys[0]?.prints('hello\r\n');
  machine.spawner.ptys[1]?.prints(`${MARK} \x1b]2;${MARK}\x07\r\n`);
  operator = await connectClient(relay);
  const tabs = [own, other].map(({ id }) => ({ session: id, name: MARK }));
  operator.send({ type: 'save_layout', request: 'l', layout: { tabs, active: other.id } });
  operator.send({ type: 'reattach_session', request: 'a', session: other.id, instance: 'i-1', from: 7 });
  await operator.message('session_reattached');
  operatorChannels = await machine.clients();
});
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await machine[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
});

/** All that the agent and the registry have of the other session, and of the workspace as a whole. */
async function unseen(): Promise<unknown> {
  await operator.pong();
  await machine.onlyClients(operatorChannels);
  const session = machine.agent.sessions.list().find(({ info }) => info.id === other.id);
  if (session === undefined) throw new Error('the other session is gone');
  const pty = machine.spawner.ptys[1];
  const { driver, size, operators, input } = session;
  const info = settled(session.info);
  const [rows, ...others] = await relay.sql(
    `SELECT status, info, typed_by FROM sessions WHERE id = '${other.id}'`,
    'SELECT * FROM layout',
    'SELECT * FROM share_links',
    'SELECT * FROM revocations',
    'SELECT * FROM agent_key',
    'SELECT * FROM push_subscriptions',
    'SELECT count(*) AS n FROM sessions',
  );
  const told = rows?.map((row) => ({
    ...row,
    info: { ...JSON.parse(String(row.info)), lastActivityAt: '' },
  }));
  const typed = [pty?.typed, pty?.size, pty?.signals];
  return { info, driver, size, operators, instances: input.instances, typed, told, others };
}

/** Without what changes when the program prints. */
function settled({ lastActivityAt: _at, bufferBytes: _bytes, ...info }: SessionInfo): unknown {
  return info;
}

async function changesNothing(act: () => Promise<void>): Promise<void> {
  const before = await unseen();
  await act();
  expect(await unseen()).toEqual(before);
}

const seen = (received: unknown): string =>
  JSON.stringify(received, (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  );

function expectUnseen(received: unknown): void {
  const text = seen(received);
  expect(text).not.toContain(other.id);
  expect(text).not.toContain(MARK);
}

const ROLES = ['viewer', 'operator'] as const satisfies ClientRole[];

const connect = async (role: ClientRole) =>
  connectClient(relay, role, await oneSessionToken(relay, role, own.id));

/** What a scoped client gets for a message about this session, with news and output of the other meanwhile. */
async function answersTo(role: ClientRole, message: object, session: string): Promise<unknown[]> {
  const client = await connect(role);
  client.send({ type: 'reattach_session', request: 'own', session: own.id, instance: `i-${role}`, from: 0 });
  await client.message('session_reattached');
  client.send('session' in message ? { ...message, session } : message);
  operator.send({ type: 'rename_session', request: 'n', session: other.id, name: MARK });
  machine.spawner.ptys[1]?.prints(`${MARK}\x07`);
  await operator.message('session_renamed');
  await machine.clients();
  await client.pong();
  const received = [...client.unread];
  await client[Symbol.asyncDispose]();
  return received
    .filter((item) => !isOutput(item))
    .map((item) => seen(withoutEcho(item, session)))
    .sort();
}

/** A refusal repeats the session that was asked for. */
function withoutEcho(item: unknown, session: string): unknown {
  const isEcho = isRefusal(item) && item.session === session;
  return isEcho ? { ...item, session: 'the one asked for' } : item;
}

const isRefusal = (item: unknown): item is { session?: string } =>
  typeof item === 'object' && item !== null && 'type' in item && item.type === 'error';

const isOutput = (item: unknown) =>
  typeof item === 'object' &&
  item !== null &&
  ('payload' in item || (item as { type: string }).type === 'scrollback');

describe.each(ROLES)('a %s who sees one session, over a socket', (role) => {
  it.each(Object.values(CLIENT_MESSAGES))(
    '[SEC26] [SL5] [SL7] $type tells and changes nothing of another',
    async (message) => {
      await changesNothing(async () => {
        const about = await answersTo(role, message, other.id);
        expectUnseen(about);
        expect(about).toEqual(await answersTo(role, message, NOBODYS));
      });
    },
  );

  it.each(Object.keys(KINDS) as FrameKind[])(
    '[SEC26] [SL6] a frame of the kind %s changes nothing of another',
    async (kind) => {
      await changesNothing(async () => {
        const client = await connect(role);
        client.send({ type: 'reattach_session', request: 'own', session: own.id, instance: 'i-f', from: 0 });
        await client.message('session_reattached');
        const payload = kind === 'ack' ? Buffer.alloc(0) : Buffer.from('rm!!');
        client.send(encodeFrame({ kind, channel: 0, handle: other.handle, offset: 0 }, payload));
        if (kind === 'input' || kind === 'ack') await client.pong();
        else expect((await client.closed).code).toBe(4400);
        expectUnseen(client.unread);
        if (kind === 'input' || kind === 'ack') await client[Symbol.asyncDispose]();
      });
    },
  );

  it('[SEC26] [SL6] gets no frame of another session, even if the agent subscribes it', async () => {
    await changesNothing(async () => {
      const client = await connect(role);
      const [channel = 0] = (await machine.clients()).filter((one) => !operatorChannels.includes(one));
      client.send({ type: 'reattach_session', request: 'own', session: own.id, instance: 'i-s', from: 0 });
      await client.message('session_reattached');
      machine.says({ type: 'subscribe', channel, handle: other.handle });
      const output = (to: number) =>
        encodeFrame({ kind: 'output', channel: to, handle: other.handle, offset: 0 }, Buffer.from(MARK));
      machine.says(output(channel));
      machine.says(output(0));
      machine.says({ type: 'unsubscribe', channel, handle: other.handle });
      await machine.clients();
      await client.pong();
      expectUnseen(client.unread);
      await client[Symbol.asyncDispose]();
    });
  });

  it('[SEC26] [SL5] sees and follows its own', async () => {
    const client = await connect(role);
    client.send({ type: 'list_sessions', request: 'l' });
    const { sessions } = await client.message<{ type: string; sessions: { name: string }[] }>('session_list');
    expect(sessions.map(({ name }) => name)).toEqual(['mine']);
    client.send({
      type: 'reattach_session',
      request: 'a',
      session: own.id,
      instance: `o-${role}`,
      cols: 80,
      rows: 24,
    });
    await client.message('session_reattached');
    await machine.clients();
    machine.spawner.ptys[0]?.prints(`news for ${role}`);
    while (!Buffer.from((await client.frame()).payload).includes(`news for ${role}`));
    client.send(encodeFrame({ kind: 'input', channel: 0, handle: own.handle, offset: 0 }, Buffer.from(role)));
    if (role === 'viewer') expect(await client.message('error')).toMatchObject({ code: 'forbidden' });
    else await expect.poll(() => machine.spawner.ptys[0]?.typed).toContain('operator');
    await client[Symbol.asyncDispose]();
  });
});

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
    const response = await fetch(new URL(path + query, relay.url), {
      method,
      headers: {
        Authorization: `Bearer ${await oneSessionToken(relay, role, own.id)}`,
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
      await changesNothing(async () => {
        const [status, text] = await answer(route, other.id, row.body, row.query);
        expect(status, text).toBe(wanted);
        expectUnseen(text);
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
    ['read', () => ({ session: other.id })],
    ['wait', () => ({ session: other.id, for: 'text', text: MARK, timeoutSeconds: 1 })],
    ['run', () => ({ session: other.id, command: 'rm' })],
    ['send', () => ({ session: other.id, text: 'rm' })],
    ['open_session', () => ({ name: 'new' })],
    ['close_session', () => ({ session: other.id })],
  ])('[SEC26] [SL5] the tool %s', async (name, args) => {
    await changesNothing(async () => {
      const [, text] = await answer('POST /mcp', '', tool(name, args()));
      const [, ofNobody] = await answer(
        'POST /mcp',
        '',
        tool(name, JSON.parse(JSON.stringify(args()).replaceAll(other.id, NOBODYS).replaceAll(MARK, 'none'))),
      );
      const plain = (answered: string) =>
        answered
          .replaceAll(NOBODYS, 'X')
          .replaceAll(other.id, 'X')
          .replaceAll(MARK, 'X')
          .replaceAll('none', 'X');
      expect(plain(text)).toBe(plain(ofNobody));
    });
  });
});
