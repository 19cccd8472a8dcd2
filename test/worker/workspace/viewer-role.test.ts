/**
 * A viewer changes nothing except its own connection, through any route, message or frame: all tables of the registry
 * and the whole state of the agent are compared before and after. A route without a row here fails the test.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, type FrameKind, KINDS } from '../../../protocol/frame.ts';
import { routes } from '../../../worker/app.ts';
import { CLIENT_MESSAGES } from '../../protocol/message-examples.ts';
import { AgentOnLink } from '../../support/agent-on-link.ts';
import { connectClient } from '../../support/relay-story.ts';
import type { ScriptedPeer } from '../../support/scripted-peer.ts';
import { TestRelay } from '../../support/test-relay.ts';

let relay: TestRelay;
let machine: AgentOnLink;
let operator: ScriptedPeer;
let operatorChannels: number[];
let session: string;
let handle: number;

beforeAll(async () => {
  relay = await TestRelay.onWorkerd();
  machine = await AgentOnLink.connect(relay);
  const made = machine.agent.sessions.create({ size: { cols: 80, rows: 24 }, key: 'build' });
  session = made.identity.id;
  handle = made.identity.handle;
  machine.spawner.ptys[0]?.prints('hello\r\n');
  operator = await connectClient(relay);
  operator.send({
    type: 'save_layout',
    request: 'l',
    layout: { tabs: [{ session, name: 'a' }], active: session },
  });
  operator.send({
    type: 'reattach_session',
    request: 'a',
    session,
    instance: 'i-1',
    from: 7,
    cols: 80,
    rows: 24,
  });
  await operator.message('session_reattached');
  operator.send(encodeFrame({ kind: 'input', channel: 0, handle, offset: 0 }, Buffer.from('abc')));
  operatorChannels = await machine.clients();
  // The key for pushes is made when somebody first asks for it.
  const key = new URL(`/api/workspaces/${relay.workspace}/push/key`, relay.url);
  await fetch(key, { headers: await relay.bearer('operator') });
});
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await machine[Symbol.asyncDispose]();
  await relay[Symbol.asyncDispose]();
});

/** The audit trail is written elsewhere; every other table is compared. */
const isAudit = (name: string) => /audit/.test(name);

async function registry(): Promise<Record<string, unknown>> {
  const [tables = []] = await relay.sql("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  const names = tables
    .map(({ name }) => String(name))
    .filter((name) => !/^(_cf|sqlite)_/.test(name) && !isAudit(name));
  const rows = await relay.sql(...names.map((name) => `SELECT * FROM ${name} ORDER BY 1`));
  return Object.fromEntries(names.map((name, i) => [name, rows[i]?.filter(isLasting).map(settled)]));
}

/** When the alarm rings next: whoever comes or leaves is told to others, a moment later. [PP3] */
const isLasting = ({ name }: Record<string, unknown>): boolean => name !== 'alarm_at';

/** A row catches up with what the program printed when it is next written. */
function settled(row: Record<string, unknown>): Record<string, unknown> {
  if (typeof row.info !== 'string') return row;
  const { lastActivityAt: _at, bufferBytes: _bytes, ...info } = JSON.parse(row.info);
  return { ...row, info };
}

function agentState(): unknown {
  const { agent, clock, screens, spawner } = machine;
  return {
    sessions: agent.sessions.list().map(({ info, driver, size, operators, input }) => ({
      info,
      driver,
      size,
      operators,
      instances: input.instances,
    })),
    ptys: spawner.ptys.map(({ typed, size, signals, paused }) => ({ typed, size, signals, paused })),
    themes: screens.screens.map(({ theme }) => theme),
    timers: clock.due,
    inFlight: agent.sessions.inFlightBytes,
  };
}

/** Everything, once only the operator is connected. */
async function everything(): Promise<unknown> {
  // A client that is silent for long is disconnected; on a busy machine these tests take that long.
  await operator.pong();
  await machine.onlyClients(operatorChannels);
  return { agent: agentState(), registry: await registry() };
}

async function changesNothing(act: () => Promise<void>): Promise<void> {
  const before = await everything();
  await act();
  expect(await everything()).toEqual(before);
}

describe('over HTTP', () => {
  interface Row {
    readonly status: number;
    readonly path?: () => string;
    readonly body?: unknown;
  }

  const SUBSCRIPTION = {
    endpoint: 'https://127.0.0.1/push',
    keys: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22) },
  };
  /** A tool that viewers do not have. */
  const MCP_RUN = {
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'run', arguments: { session: 's', command: 'rm' } },
  };
  const JSON_HEADERS = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
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
    [`POST ${ws}/device-codes`]: { status: 201, body: {} },
    'POST /api/join': { status: 401, body: {} },
    'POST /api/owner/links': { status: 401 },
    'POST /api/owner/login': { status: 401 },
    'DELETE /api/owner/login': { status: 401 },
    'GET /api/owner/login/challenge': { status: 200 },
    'GET /api/owner/invites': { status: 401 },
    'POST /api/owner/invites': { status: 401, body: {} },
    'DELETE /api/owner/invites/:id': { status: 401 },
    'GET /api/owner/machines': { status: 401 },
    'PATCH /api/owner/machines/:machine': { status: 401, body: { displayName: 'x' } },
    'DELETE /api/owner/machines/:machine': { status: 401 },
    'GET /api/owner/machines/:machine/audit': { status: 401 },
    'GET /ws/owner': { status: 401 },
    'POST /api/owner/machines/:machine/links': { status: 401, body: { role: 'operator', seconds: 60 } },
    [`POST ${ws}/revocations`]: { status: 403, body: { jti: 'x' } },
    [`GET ${ws}/revocations`]: { status: 403 },
    [`DELETE ${ws}/revocations/:jti`]: { status: 403 },
    [`GET ${ws}/share-links`]: { status: 403 },
    [`POST ${ws}/share-links`]: { status: 403, body: { role: 'viewer', seconds: 60 } },
    [`DELETE ${ws}/share-links/:link`]: { status: 403 },
    [`GET ${ws}/audit`]: { status: 403 },
    [`GET ${ws}/agent-key`]: { status: 403 },
    [`DELETE ${ws}/agent-key`]: { status: 403 },
    [`GET ${ws}/health`]: { status: 200 },
    [`GET ${ws}/sessions`]: { status: 200 },
    [`POST ${ws}/sessions`]: { status: 403, body: {} },
    [`GET ${one}`]: { status: 200 },
    [`PATCH ${one}`]: { status: 403, body: { name: 'mine' } },
    [`DELETE ${one}`]: { status: 403 },
    [`POST ${one}/input`]: { status: 403, body: { data: 'rm' } },
    [`POST ${one}/run`]: { status: 403, body: { command: 'rm' } },
    [`POST ${one}/signal`]: { status: 403, body: { signal: 'SIGKILL' } },
    [`POST ${one}/resize`]: { status: 403, body: { cols: 10, rows: 5 } },
    [`GET ${one}/snapshot`]: { status: 200, path: () => '?format=text' },
    [`GET ${one}/commands`]: { status: 200 },
    // Its shell has reported none.
    [`GET ${one}/commands/:number/output`]: { status: 404 },
    [`GET ${one}/stream`]: { status: 200 },
    [`GET ${one}/wait`]: { status: 200, path: () => '?for=text&text=screen' },
    [`GET ${ws}/digest`]: { status: 200, path: () => '?since=2026-11-17T10:00:00.000Z' },
    [`GET ${ws}/metrics`]: { status: 403 },
    [`GET ${ws}/push/key`]: { status: 200 },
    // Its own subscription is its own; here it is one that the relay does not accept.
    [`POST ${ws}/push/subscriptions`]: { status: 422, body: SUBSCRIPTION },
    [`DELETE ${ws}/push/subscriptions/:subscription`]: { status: 404 },
    'POST /mcp': { status: 200, body: MCP_RUN },
    'GET /terminal/ws': { status: 403, path: () => '?workspace=test' },
    'GET /ws/workspaces/:ws': { status: 426 },
    'GET /ws/agent/:ws': { status: 403 },
  };

  it('[RL7] every route has a row here', () => {
    const declared = routes
      .filter(({ method }) => method !== 'OPTIONS')
      .map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(ROWS).sort()).toEqual(declared.sort());
  });

  it.each(Object.entries(ROWS))('[SEC15] [RL7] [X5] %s', async (route, { status, path = () => '', body }) => {
    const [method = '', declared = ''] = route.split(' ');
    const url = new URL(declared.replace(':ws', 'test').replace(':id', session) + path(), relay.url);
    await changesNothing(async () => {
      const response = await fetch(url, {
        method,
        headers: { ...(await relay.bearer('viewer')), ...(body === undefined ? {} : JSON_HEADERS) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      expect(response.status).toBe(status);
      // The first event of a stream; the complete body of any other answer.
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    });
  });
});

describe('over a socket', () => {
  const withViewer = (act: (viewer: ScriptedPeer) => Promise<void>) =>
    changesNothing(async () => {
      const viewer = await connectClient(relay, 'viewer');
      await act(viewer);
      await viewer[Symbol.asyncDispose]();
    });

  it.each(Object.values(CLIENT_MESSAGES))('[RL7] [X5] $type', async (message) => {
    await withViewer(async (viewer) => {
      viewer.send('session' in message ? { ...message, session } : message);
      if (message.type === 'reattach_session') {
        await viewer.message('session_reattached');
        viewer.send({ ...message, session, hidden: false, epoch: machine.agent.sessions.epoch, from: 0 });
        await viewer.frame();
      }
      await viewer.pong();
    });
  });

  it.each((Object.keys(KINDS) as FrameKind[]).filter((kind) => kind === 'input' || kind === 'ack'))(
    '[RL7] [X5] a frame of the kind %s',
    async (kind) => {
      await withViewer(async (viewer) => {
        viewer.send({ type: 'reattach_session', request: 'a', session, instance: 'i-1', from: 0 });
        await viewer.frame();
        const payload = kind === 'ack' ? Buffer.alloc(0) : Buffer.from('\x03');
        viewer.send(encodeFrame({ kind, channel: 0, handle, offset: 3 }, payload));
        await viewer.pong();
      });
    },
  );
});

describe('storage writes', () => {
  it('[X14] are not caused by a viewer that requests descriptions as fast as it may', async () => {
    await relay.sql(
      'CREATE TABLE IF NOT EXISTS written (n INTEGER)',
      'CREATE TRIGGER IF NOT EXISTS count_writes AFTER UPDATE ON sessions BEGIN INSERT INTO written VALUES (1); END',
    );
    const viewer = await connectClient(relay, 'viewer');
    for (let i = 0; i < 100; i++) {
      viewer.send({ type: 'refresh_sessions', request: `${i}` });
      if (i % 5 === 0) machine.spawner.ptys[0]?.prints('.');
      machine.clock.advance(50);
    }
    await viewer.pong();
    await machine.clients();
    machine.clock.advance(1_000);
    await machine.clients();
    const [[row] = []] = await relay.sql('SELECT count(*) AS n FROM written', 'DROP TRIGGER count_writes');
    expect(row?.n).toBe(0);
    viewer.send({ type: 'list_sessions', request: 'l' });
    const { sessions } = await viewer.message<{ type: string; sessions: { bufferBytes: number }[] }>(
      'session_list',
    );
    expect(sessions[0]?.bufferBytes, 'and the list shows what was told').toBe(
      machine.agent.sessions.list()[0]?.info.bufferBytes,
    );
    await relay.sql('DROP TABLE written');
    await viewer[Symbol.asyncDispose]();
  });
});
