/** Every route of the API over real HTTP: what it does, what it refuses, and that a refusal changes nothing. */
import { connect } from 'node:net';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { errorSchema, sessionListSchema, sessionSchema } from '../../worker/api/request/schemas.ts';
import { ApiClient } from '../support/api-client.ts';
import { World } from '../support/world.ts';

let world: World;
let api: ApiClient;
beforeAll(async () => {
  world = await World.open();
  api = await world.api();
});
afterAll(() => world[Symbol.asyncDispose]());

/** A program that prints each line of its input. */
const ECHO = { args: ['-c', 'stty -echo; echo ready; while read -r line; do echo "<$line>"; done'] };

async function echoing(): Promise<string> {
  const { id } = await api.create(ECHO);
  await api.waitFor(id, { text: 'ready' });
  return id;
}

describe('sessions', () => {
  it('[R2] are created with command, arguments, directory, environment and size', async () => {
    const { status, body } = await api.ask<SessionInfo>('POST', '/sessions', {
      name: 'Build',
      command: 'sh',
      args: ['-c', 'echo "$PWD $FOO $(stty size) $0"; read x', 'me'],
      cwd: '/tmp',
      env: { FOO: 'bar' },
      cols: 91,
      rows: 31,
    });
    expect(status).toBe(201);
    expect(v.is(sessionSchema, body)).toBe(true);
    expect(body).toMatchObject({
      name: 'Build',
      status: 'running',
      cols: 91,
      rows: 31,
      attached: 0,
      key: null,
    });
    await api.waitFor(body.id, { text: '/tmp bar 31 91 me' });
  });

  it('[M2] of which one live session has a key: a second create with the key finds it', async () => {
    const first = await api.ask<SessionInfo>('POST', '/sessions', { key: 'milestone', command: 'cat' });
    const again = await api.ask<SessionInfo>('POST', '/sessions', { key: 'milestone', command: 'cat' });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body.id).toBe(first.body.id);
    const { body } = await api.ask('GET', '/sessions?key=milestone');
    expect(v.parse(sessionListSchema, body).sessions.map(({ id }) => id)).toEqual([first.body.id]);
    expect((await api.ask('DELETE', `/sessions/${first.body.id}`)).status).toBe(204);
    const third = await api.ask<SessionInfo>('POST', '/sessions', { key: 'milestone', command: 'cat' });
    expect(third.status).toBe(201);
    expect(third.body.id).not.toBe(first.body.id);
  });

  it('[M4] are renamed, resized and closed', async () => {
    const { id } = await api.create({ name: 'before' });
    expect(await api.ask('PATCH', `/sessions/${id}`, { name: 'after' })).toMatchObject({
      status: 200,
      body: { id, name: 'after' },
    });
    expect(await api.ask('POST', `/sessions/${id}/resize`, { cols: 99, rows: 33 })).toMatchObject({
      status: 200,
    });
    expect(await api.session(id)).toMatchObject({ name: 'after', cols: 99, rows: 33 });
    expect((await api.ask('DELETE', `/sessions/${id}`)).status).toBe(204);
    expect(await api.ask('GET', `/sessions/${id}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'session_missing' } },
    });
  });
});

describe('input', () => {
  it('[R2] is answered once the program has received it, as text or as bytes', async () => {
    const id = await echoing();
    expect(await api.type(id, 'grüße\n')).toMatchObject({ status: 200, body: { bytes: 8 } });
    const raw = { 'Content-Type': 'application/octet-stream' };
    const bytes = Uint8Array.from([0xc3, 0xa4, 0x0a]);
    expect(await api.ask('POST', `/sessions/${id}/input`, bytes, raw)).toMatchObject({ body: { bytes: 3 } });
    await api.waitFor(id, { text: '<ä>' });
    expect(await api.text(id)).toBe('ready\n<grüße>\n<ä>');
  });

  it('[IN8] with a repeated key gets the same answer and types nothing, also after the object was replaced', async () => {
    const id = await echoing();
    const key = { 'Idempotency-Key': 'k1' };
    const answers = [await api.type(id, 'once\n', key), await api.type(id, 'once\n', key)];
    await world.relay.reset();
    // The machine dials again within a moment; until then the request fails, and nothing is typed.
    await expect.poll(async () => (await api.type(id, 'once\n', key)).status, { timeout: 10_000 }).toBe(200);
    answers.push(...(await Promise.all([1, 2, 3].map(() => api.type(id, 'once\n', key)))));
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 200, body: { bytes: 5 } });
    await api.run(id, 'last', '<last>');
    expect(await api.text(id)).toBe('ready\n<once>\n<last>');
  });

  it('[IN8] with a key that was used for other input is refused and not typed', async () => {
    const id = await echoing();
    const key = { 'Idempotency-Key': 'k2' };
    await api.type(id, 'one\n', key);
    expect(await api.type(id, 'one\ntwo\n', key)).toMatchObject({
      status: 422,
      body: { error: { code: 'input_conflict' } },
    });
    await api.run(id, 'last', '<last>');
    expect(await api.text(id)).toBe('ready\n<one>\n<last>');
  });

  it('[IN8] that ended the program is answered the same when repeated; other input is refused', async () => {
    const { id } = await api.create({ args: ['-c', 'read x'] });
    const key = { 'Idempotency-Key': 'end' };
    expect((await api.type(id, '\n', key)).status).toBe(200);
    await api.ask('GET', `/sessions/${id}/wait?for=exit`);
    expect(await api.type(id, '\n', key)).toMatchObject({ status: 200, body: { bytes: 1 } });
    expect(await api.type(id, 'more')).toMatchObject({
      status: 409,
      body: { error: { code: 'session_exited' } },
    });
  });

  it('[R2] of 200 KiB arrives completely', async () => {
    const { id } = await api.create({
      args: ['-c', 'stty raw -echo; echo ready; head -c 204800 | sha256sum; read x'],
    });
    await api.waitFor(id, { text: 'ready' });
    const bytes = new Uint8Array(204_800).map((_, i) => (i * 31) % 251);
    const raw = { 'Content-Type': 'application/octet-stream' };
    expect((await api.ask('POST', `/sessions/${id}/input`, bytes, raw)).status).toBe(200);
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
    await api.waitFor(id, { text: hash });
  });
});

describe('waiting', () => {
  it('[R2] for text that is on the screen or is printed later', async () => {
    const id = await echoing();
    expect((await api.waitFor(id, { text: 'ready' })).body).toEqual({ text: 'ready' });
    const later = api.waitFor(id, { text: '<later>' });
    await api.type(id, 'later\n');
    expect((await later).body).toEqual({ text: '<later>' });
  });

  it('[R2] with from=now ignores text that is already on the screen', async () => {
    const id = await echoing();
    const waiting = api.waitFor(id, { text: 'ready', from: 'now' });
    await expect.poll(async () => (await api.session(id)).attached, { timeout: 10_000 }).toBe(1);
    await api.type(id, 'it is ready\n');
    expect((await waiting).body).toEqual({ text: '<it is ready' });
  });

  it('[R2] for a pattern works across colours and split output', async () => {
    const { id } = await api.create({
      args: [
        '-c',
        "read go; printf '\\033[1;3'; sleep 0.1; printf '2mbuild \\033[0m#'; sleep 0.1; printf '42 ok\\n'; read end",
      ],
    });
    const waiting = api.waitFor(id, { pattern: '^build #\\d+ (ok|failed)$' });
    await api.type(id, '\n');
    expect((await waiting).body).toEqual({ text: 'build #42 ok' });
  });

  it('[R2] for a prompt', async () => {
    const { id } = await api.create({ env: { PS1: 'here> ' } });
    await api.waitFor(id, { pattern: '> $' });
    await api.waitFor(id, { text: 'here> ' });
  });

  it('[R2] ends after the requested time and says so', async () => {
    const id = await echoing();
    const { status, body } = await api.ask('GET', `/sessions/${id}/wait?for=text&text=never&timeout=0.2`);
    expect({ status, body }).toMatchObject({ status: 408, body: { error: { code: 'timeout' } } });
    const exit = await api.ask('GET', `/sessions/${id}/wait?for=exit&timeout=0.2`);
    expect(exit).toMatchObject({ status: 408, body: { error: { code: 'timeout' } } });
  });

  it('[R2] for the end returns its exit code or signal', async () => {
    const { id } = await api.create({ args: ['-c', 'read x; exit 42'] });
    const waiting = api.ask('GET', `/sessions/${id}/wait?for=exit`);
    await api.type(id, '\n');
    expect(await waiting).toMatchObject({ status: 200, body: { exitCode: 42, signal: null } });
    expect((await api.ask('GET', `/sessions/${id}/wait?for=exit`)).body).toEqual({
      exitCode: 42,
      signal: null,
    });
    const killed = await api.create({ args: ['-c', 'kill -9 $$'] });
    expect(await api.ask('GET', `/sessions/${killed.id}/wait?for=exit`)).toMatchObject({
      body: { signal: 'SIGKILL' },
    });
  });

  it('[R2] for text that the program never prints before it ends is 409', async () => {
    const { id } = await api.create({ args: ['-c', 'read x'] });
    const waiting = api.ask('GET', `/sessions/${id}/wait?for=text&text=never`);
    await api.type(id, '\n');
    expect(await waiting).toMatchObject({ status: 409, body: { error: { code: 'session_exited' } } });
  });
});

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

describe('metrics', () => {
  const value = (text: string, sample: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.split(' ')[1],
    );

  it('[R11] include sessions, clients, bytes, snapshot sizes, recoveries with quantiles, reconnects and failures', async () => {
    const id = await echoing();
    using stream = await api.stream(id);
    await stream.next();
    using again = await api.stream(id, '', { 'Last-Event-ID': stream.lastId ?? '' });
    void again;
    await api.tryStream('nobody');
    const { body, headers } = await api.ask<string>('GET', '/metrics');
    expect(headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(value(body, 'holdfast_relay_agent_up')).toBe(1);
    expect(value(body, 'holdfast_relay_clients')).toBeGreaterThanOrEqual(2);
    expect(value(body, 'holdfast_sessions{state="running"}')).toBeGreaterThanOrEqual(1);
    expect(value(body, 'holdfast_viewers')).toBeGreaterThanOrEqual(2);
    expect(value(body, 'holdfast_output_bytes')).toBeGreaterThan(0);
    expect(value(body, 'holdfast_snapshot_bytes_count')).toBeGreaterThanOrEqual(1);
    expect(value(body, 'holdfast_recovery_seconds_count')).toBeGreaterThanOrEqual(2);
    for (const quantile of ['0.5', '0.95', '0.99']) {
      expect(value(body, `holdfast_recovery_quantile_seconds{quantile="${quantile}"}`)).toBeGreaterThan(0);
    }
    expect(value(body, 'holdfast_reconnects_total')).toBeGreaterThanOrEqual(1);
    expect(value(body, 'holdfast_failed_recoveries_total')).toBeGreaterThanOrEqual(1);
    expect(value(body, 'holdfast_sessions_removed_total{reason="orphan_expired"}')).toBe(0);
    // Every family once, each sample of a family below its description.
    const families = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(new Set(families).size).toBe(families.length);
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
    await expect.poll(async () => (await alone.health()).agent.state, { timeout: 10_000 }).toBe('offline');
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
