/** Coding agents use the sessions of a real machine: the official SDK's client, over both transports and revisions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MCP_TEXT_MAX_BYTES } from '../../protocol/limits.ts';
import type { HeadlessClient } from '../support/headless-client.ts';
import { McpClient, type McpPlace, WAYS } from '../support/mcp-client.ts';
import { World } from '../support/world.ts';

let world: World;
let place: McpPlace;
let person: HeadlessClient;

beforeAll(async () => {
  world = await World.open({ shell: '/bin/bash' });
  person = await world.client();
  const { relay } = world;
  place = { relay: relay.url, workspace: relay.workspace, token: await relay.token('operator') };
});
afterAll(() => world?.[Symbol.asyncDispose]());

describe.each(WAYS)('over $transport in $revision', (way) => {
  let mcp: McpClient;
  beforeAll(async () => {
    mcp = await McpClient.connect(place, way);
  });
  afterAll(() => mcp?.[Symbol.asyncDispose]());
  const key = `shell over ${way.transport} in ${way.revision}`;
  const open = async (more: object = {}) => {
    const { session, created } = await mcp.facts('open_session', { key, ...more });
    return { id: (session as { id: string }).id, created, session };
  };

  it('[A2] lists every tool with schemas', async () => {
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['list_sessions', 'open_session', 'run', 'read', 'type', 'keys', 'wait', 'signal', 'close'],
    ]);
    for (const tool of tools) {
      expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object' });
      expect(tool.description?.length, tool.name).toBeGreaterThan(30);
    }
  });

  it('[A2] opens a session by key once, lists it and closes it', async () => {
    const first = await open({ name: 'mine', cwd: '/tmp' });
    expect(first).toMatchObject({ created: true, session: { name: 'mine', key, status: 'running' } });
    expect(await open()).toMatchObject({ created: false, id: first.id });
    const listed = await mcp.facts('list_sessions', {});
    expect(listed).toMatchObject({ machine: 'online' });
    expect(listed.sessions).toContainEqual(expect.objectContaining({ id: first.id, key }));
    expect(await mcp.facts('close', { session: first.id })).toEqual({ closed: true });
    expect(await mcp.call('close', { session: first.id })).toMatchObject({
      isError: true,
      facts: { error: { code: 'session_missing' } },
    });
  });

  it('[A2] reads a program from an offset, its screen with the cursor, and waits for text and exit', async () => {
    const script = `printf 'one\\n\\033[31mtwo\\033[0m\\n'; read go; printf 'bye\\n'; exit 3`;
    const { id } = await open({ command: ['bash', '-c', script] });
    expect(await mcp.facts('wait', { session: id, for: 'text', text: 'two' })).toMatchObject({
      happened: true,
      text: 'two',
    });
    expect(await mcp.facts('read', { session: id, since: 0 })).toMatchObject({
      kind: 'output',
      text: 'one\ntwo\n',
      offset: 19,
    });
    expect(await mcp.facts('read', { session: id, since: 5 })).toMatchObject({ text: 'two\n', offset: 19 });
    expect(await mcp.facts('read', { session: id })).toMatchObject({
      ...{ kind: 'screen', text: 'one\ntwo\n', cols: 120, rows: 40, offset: 19 },
      cursor: { row: 3, col: 1 },
    });
    expect(await mcp.facts('wait', { session: id, for: 'exit', timeoutMs: 1000 })).toEqual({
      happened: false,
    });
    const waiting = mcp.facts('wait', { session: id, for: 'exit' });
    await person.client.requests.typeOnce(id, new TextEncoder().encode('\r'), { withinMs: 10_000 });
    expect(await waiting).toMatchObject({ happened: true, exitCode: 3, signal: null });
    expect(await mcp.facts('read', { session: id, since: 19 })).toMatchObject({ text: '\nbye\n' });
    await mcp.facts('close', { session: id });
  });

  it('[A2] runs commands in a shell, types and presses keys, and learns how it went', async () => {
    const { id } = await open({ name: 'shell', cwd: '/tmp' });
    const run = (command: string) => mcp.facts('run', { session: id, command });
    expect(await run('echo hello; false')).toMatchObject({ state: 'done', exitCode: 1, output: 'hello' });
    expect(await run('cd / && pwd')).toMatchObject({ exitCode: 0, output: '/', cwd: '/' });
    const long = await run('seq 1 20000');
    expect(long).toMatchObject({ state: 'done', exitCode: 0, omittedBytes: expect.any(Number) });
    expect(Buffer.byteLength(long.output as string)).toBeLessThanOrEqual(MCP_TEXT_MAX_BYTES);
    const omitted = await mcp.facts('read', { session: id, since: long.omittedFrom });
    const [first] = (omitted.text as string).split('\n').slice(1);
    expect(long.output, 'what is read on was not in the answer').not.toContain(`\n${first}\n`);

    const asks = mcp.facts('run', { session: id, command: 'read -p "Name? " name; echo "Hello $name"' });
    expect(await asks).toMatchObject({ state: 'needs_input' });
    const { offset } = await mcp.facts('type', { session: id, text: 'World' });
    await mcp.facts('keys', { session: id, keys: ['enter'] });
    expect(await mcp.facts('wait', { session: id, for: 'command', since: offset })).toMatchObject({
      happened: true,
      command: { exitCode: 0 },
    });
    const waited = mcp.facts('wait', { session: id, for: 'text', pattern: '^Hello W.*$', since: offset });
    expect(await waited).toMatchObject({ happened: true, text: 'Hello World' });
    const notified = await run("printf '\\033]9;Look here\\007'");
    expect(notified).toMatchObject({ state: 'done' });
    expect(await mcp.facts('wait', { session: id, for: 'attention' })).toMatchObject({
      happened: true,
      attention: { text: 'Look here' },
    });
    expect(await mcp.facts('read', { session: id, since: offset })).toMatchObject({
      text: expect.stringContaining('Hello World'),
    });

    const sleeping = mcp.facts('run', { session: id, command: 'sleep 1000', timeoutMs: 1000 });
    expect(await sleeping).toMatchObject({ state: 'running', program: 'sleep' });
    expect(await mcp.call('run', { session: id, command: 'true' })).toMatchObject({
      isError: true,
      facts: { error: { code: 'shell_busy' } },
    });
    expect(await mcp.facts('signal', { session: id, signal: 'SIGINT' })).toEqual({ program: 'sleep' });
    const { idempotencyKey } = await sleeping;
    expect(
      await mcp.facts('run', { session: id, command: 'sleep 1000', idempotencyKey }),
      'the same run, which has ended meanwhile',
    ).toMatchObject({ state: 'done', exitCode: 130 });
    await mcp.facts('close', { session: id });
  });
});
