/** The routes of the API over real HTTP: what they refuse, and that a refusal changes nothing. */
import { connect } from 'node:net';
import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { errorSchema, sessionListSchema } from '../../worker/api/request/schemas.ts';
import { ApiClient } from '../support/api-client.ts';
import { World } from '../support/world.ts';
import { api, echoing, opensApi, world } from './api-world.ts';

opensApi();

describe('bad input', () => {
  const bytes = { 'Content-Type': 'application/octet-stream' };
  const bad: readonly [
    what: string,
    method: string,
    path: string,
    body: unknown,
    status: number,
    headers?: Record<string, string>,
  ][] = [
    ['no JSON', 'POST', '/sessions', '{"name":', 400],
    ['JSON that is not an object', 'POST', '/sessions', '[]', 400],
    ['JSON that is not UTF-8', 'POST', '/sessions', Uint8Array.from([0x22, 0xff, 0x22]), 400],
    ['an unknown field', 'POST', '/sessions', { colour: 'red' }, 400],
    ['a size of zero', 'POST', '/sessions', { cols: 0, rows: 24 }, 400],
    ['a size that is too large', 'POST', '/sessions', { cols: 1001 }, 400],
    ['a size that is not a number', 'POST', '/sessions', { cols: '80' }, 400],
    ['a directory that does not exist', 'POST', '/sessions', { cwd: '/no/such/place' }, 422],
    ['a command that does not exist', 'POST', '/sessions', { command: '/no/such/program' }, 422],
    ['a command that is not executable', 'POST', '/sessions', { command: '/etc/passwd' }, 422],
    ['an empty command', 'POST', '/sessions', { command: '' }, 400],
    ['an environment with numbers', 'POST', '/sessions', { env: { A: 1 } }, 400],
    ['a forbidden variable', 'POST', '/sessions', { env: { LD_PRELOAD: 'x' } }, 400],
    ['a body of 20 KB', 'POST', '/sessions', { name: 'x'.repeat(20_000) }, 413],
    ['a body of 10 MB', 'POST', '/sessions', { name: 'x'.repeat(10_000_000) }, 413],
    ['an empty key', 'POST', '/sessions', { key: '' }, 400],
    ['an unknown session', 'GET', '/sessions/nobody', undefined, 404],
    ['an invalid id', 'GET', '/sessions/..%2f..%2fetc', undefined, 404],
    ['an id that is too long', 'GET', `/sessions/${'x'.repeat(65)}`, undefined, 404],
    ['a wrong include', 'GET', '/sessions?include=everything', undefined, 400],
    ['renaming nobody', 'PATCH', '/sessions/nobody', { name: 'x' }, 404],
    ['an empty name', 'PATCH', '/sessions/:id', { name: '' }, 400],
    ['an invisible name', 'PATCH', '/sessions/:id', { name: '\u0007' }, 400],
    ['closing nobody', 'DELETE', '/sessions/nobody', undefined, 404],
    ['input for an unknown session', 'POST', '/sessions/nobody/input', { data: 'x' }, 404],
    ['input that is not text', 'POST', '/sessions/:id/input', { data: 7 }, 400],
    ['input without data', 'POST', '/sessions/:id/input', {}, 400],
    ['typing 10 MB', 'POST', '/sessions/:id/input', { data: 'x'.repeat(10_000_000) }, 413],
    ['typing 300 KB', 'POST', '/sessions/:id/input', { data: 'x'.repeat(300_000) }, 413],
    ['input of 300 KB', 'POST', '/sessions/:id/input', new Uint8Array(300_000), 413, bytes],
    [
      'a key that is too long',
      'POST',
      '/sessions/:id/input',
      { data: 'x' },
      400,
      { 'Idempotency-Key': 'k'.repeat(256) },
    ],
    ['a resize without rows', 'POST', '/sessions/:id/resize', { cols: 80 }, 400],
    ['resizing nobody', 'POST', '/sessions/nobody/resize', { cols: 80, rows: 24 }, 404],
    ['a snapshot of an unknown session', 'GET', '/sessions/nobody/snapshot', undefined, 404],
    ['commands of an unknown session', 'GET', '/sessions/nobody/commands', undefined, 404],
    ['the output of an unknown command', 'GET', '/sessions/:id/commands/9/output', undefined, 404],
    ['an unknown snapshot format', 'GET', '/sessions/:id/snapshot?format=oil', undefined, 400],
    ['a stream of an unknown session', 'GET', '/sessions/nobody/stream', undefined, 404],
    ['a stream since an invalid offset', 'GET', '/sessions/:id/stream?since=yesterday', undefined, 400],
    ['an unknown stream encoding', 'GET', '/sessions/:id/stream?encoding=morse', undefined, 400],
    ['an unknown event id', 'GET', '/sessions/:id/stream', undefined, 400, { 'Last-Event-ID': 'nonsense' }],
    ['a wait for an unknown session', 'GET', '/sessions/nobody/wait?for=exit', undefined, 404],
    ['a wait for text of an unknown session', 'GET', '/sessions/nobody/wait?for=text&text=x', undefined, 404],
    ['a wait for nothing', 'GET', '/sessions/:id/wait', undefined, 400],
    ['an unknown kind of wait', 'GET', '/sessions/:id/wait?for=miracle', undefined, 400],
    ['a wait for text without the text', 'GET', '/sessions/:id/wait?for=text', undefined, 400],
    ['a wait for text and a pattern', 'GET', '/sessions/:id/wait?for=text&text=a&pattern=b', undefined, 400],
    ['an invalid pattern', 'GET', '/sessions/:id/wait?for=text&pattern=(', undefined, 400],
    ['a pattern with a back reference', 'GET', '/sessions/:id/wait?for=text&pattern=(a)%5C1', undefined, 400],
    [
      'a pattern that is too large',
      'GET',
      '/sessions/:id/wait?for=text&pattern=(a{999}){999}',
      undefined,
      400,
    ],
    ['a timeout that is too long', 'GET', '/sessions/:id/wait?for=exit&timeout=99999', undefined, 400],
    ['a negative timeout', 'GET', '/sessions/:id/wait?for=exit&timeout=-1', undefined, 400],
    ['running in an unknown session', 'POST', '/sessions/nobody/run', { command: 'true' }, 404],
    ['running nothing', 'POST', '/sessions/:id/run', { command: '' }, 400],
    ['running for too long', 'POST', '/sessions/:id/run', { command: 'true', timeoutMs: 240_001 }, 400],
    ['an unknown signal', 'POST', '/sessions/:id/signal', { signal: 'SIGSTOP' }, 400],
    ['a signal for an unknown session', 'POST', '/sessions/nobody/signal', { signal: 'SIGINT' }, 404],
    ['a wait for attention of nobody', 'GET', '/sessions/nobody/wait?for=attention', undefined, 404],
    ['a digest since no time', 'GET', '/digest?since=yesterday', undefined, 400],
    ['a wrong method', 'PUT', '/sessions', {}, 405],
    ['a wrong method on a session', 'POST', '/sessions/:id', {}, 405],
    ['a wrong method on a stream', 'DELETE', '/sessions/:id/stream', undefined, 405],
    ['a route that does not exist', 'GET', '/sessions/:id/nothing', undefined, 404],
  ];

  let id: string;
  beforeAll(async () => {
    id = await echoing();
  });

  it.each(bad)(
    '[R2] %s gets a typed 4xx and changes nothing',
    async (_, method, path, body, status, headers = {}) => {
      const before = (await api.ask('GET', '/sessions')).body;
      const answer = await api.ask(method, path.replace(':id', id), body, headers);
      expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
      expect(v.is(errorSchema, answer.body)).toBe(true);
      const { sessions } = v.parse(sessionListSchema, (await api.ask('GET', '/sessions')).body);
      const names = (list: readonly SessionInfo[]) =>
        list.map((one) => [one.id, one.name, one.cols, one.rows]);
      expect(names(sessions)).toEqual(names(v.parse(sessionListSchema, before).sessions));
      expect(await api.text(id), 'nothing was typed').toBe('ready');
    },
  );

  it('[R2] 405 lists the allowed methods', async () => {
    const { headers, body } = await api.ask('PUT', `/sessions/${id}`);
    expect(headers.get('Allow')).toBe('GET, PATCH, DELETE, OPTIONS');
    expect(body).toMatchObject({ error: { code: 'method_not_allowed' } });
  });
});

describe('roles', () => {
  it('[RL7] a viewer may list, show, snapshot, stream and wait, and nothing else', async () => {
    const viewer = await ApiClient.of(world.relay, 'viewer');
    const id = await echoing();
    expect((await viewer.ask('GET', '/sessions')).status).toBe(200);
    expect((await viewer.ask('GET', `/sessions/${id}`)).status).toBe(200);
    expect((await viewer.ask('GET', '/health')).status).toBe(200);
    expect(await viewer.text(id)).toBe('ready');
    await viewer.waitFor(id, { text: 'ready' });
    using stream = await viewer.stream(id);
    expect(await stream.next()).toMatchObject({ name: 'snapshot' });
    const forbidden = [
      ['POST', '/sessions', {}],
      ['PATCH', `/sessions/${id}`, { name: 'mine' }],
      ['DELETE', `/sessions/${id}`],
      ['POST', `/sessions/${id}/input`, { data: 'rm\n' }],
      ['POST', `/sessions/${id}/resize`, { cols: 10, rows: 10 }],
      ['GET', '/metrics'],
    ] as const;
    for (const [method, path, body] of forbidden) {
      expect(await viewer.ask(method, path, body), `${method} ${path}`).toMatchObject({
        status: 403,
        body: { error: { code: 'forbidden' } },
      });
    }
    expect(await api.session(id)).toMatchObject({ status: 'running', cols: 80 });
    expect(await api.text(id)).toBe('ready');
  });
});

// These tests mostly wait, so they run in parallel.
describe.concurrent('requests that cannot be completed', () => {
  it('[R2] get 504 unknown_outcome if the machine does not answer', async () => {
    const { id } = await api.create({ args: ['-c', 'stty raw -echo; echo ready; sleep 100'] });
    await api.waitFor(id, { text: 'ready' });
    const raw = { 'Content-Type': 'application/octet-stream' };
    // More than a terminal holds for a program that does not read.
    const answer = await api.ask('POST', `/sessions/${id}/input`, new Uint8Array(200_000).fill(97), raw);
    expect(answer).toMatchObject({ status: 504, body: { error: { code: 'unknown_outcome' } } });
  });

  it('[R2] get 408 if the body does not arrive, and create no session', async () => {
    const { Authorization } = await world.relay.bearer('operator');
    const socket = connect(Number(world.relay.url.port), '127.0.0.1');
    socket.write(
      `POST /api/workspaces/test/sessions HTTP/1.1\r\nHost: ${world.relay.url.host}\r\nAuthorization: ${Authorization}\r\nContent-Length: 100\r\n\r\n{"name":`,
    );
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString())),
    );
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
  });

  it('[R11] get 503 agent_offline while the machine is offline, unless the relay itself has the answer', async () => {
    await using alone = await World.open();
    const there = await alone.api();
    const { id } = await there.create({ name: 'left behind' });
    const waiting = there.ask('GET', `/sessions/${id}/wait?for=exit&timeout=3`);
    await alone.agent.stop();
    await expect.poll(async () => (await alone.health()).agent.state).toBe('offline');
    expect((await there.ask('GET', '/sessions')).status).toBe(200);
    expect(await there.session(id)).toMatchObject({ name: 'left behind' });
    const { status, body } = await there.ask<string>('GET', '/metrics');
    expect(status).toBe(200);
    expect(body).toMatch(/^holdfast_relay_agent_up 0$/m);
    expect(body).toMatch(/^holdfast_relay_clients \d+$/m);
    const offline = [
      ['POST', '/sessions', {}],
      ['PATCH', `/sessions/${id}`, { name: 'x' }],
      ['DELETE', `/sessions/${id}`],
      ['POST', `/sessions/${id}/input`, { data: 'x' }],
      ['POST', `/sessions/${id}/resize`, { cols: 10, rows: 10 }],
      ['GET', `/sessions/${id}/snapshot`],
      ['GET', `/sessions/${id}/stream`],
      ['GET', `/sessions/${id}/wait?for=text&text=x`],
    ] as const;
    for (const [method, path, sent] of offline) {
      expect(await there.ask(method, path, sent), `${method} ${path}`).toMatchObject({
        status: 503,
        body: { error: { code: 'agent_offline' } },
      });
    }
    // A machine that was stopped cleanly has ended its shells; otherwise wait for it.
    expect([200, 408]).toContain((await waiting).status);
  });
});
