/** The routes of the API over real HTTP: what they do. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { SessionInfo } from '../../protocol/messages/session-info.ts';
import { sessionListSchema, sessionSchema } from '../../worker/api/request/schemas.ts';
import { api, echoing, opensApi, world } from './api-world.ts';

opensApi();

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
    await expect.poll(async () => (await api.type(id, 'once\n', key)).status).toBe(200);
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
    await expect.poll(async () => (await api.session(id)).attached).toBe(1);
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
