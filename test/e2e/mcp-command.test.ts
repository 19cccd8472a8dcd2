/** `holdfast mcp` as a process: what it prints, when it ends, and how it fails. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MCP_MESSAGE_MAX_BYTES } from '../../protocol/limits.ts';
import { freePort } from '../support/free-port.ts';
import { BIN, holdfast } from '../support/holdfast-command.ts';
import { McpClient, type McpPlace, mcpEnvironment } from '../support/mcp-client.ts';
import { TestRelay } from '../support/test-relay.ts';

let relay: TestRelay;
let place: McpPlace;

beforeAll(async () => {
  relay = await TestRelay.onWorkerd();
  place = { relay: relay.url, workspace: relay.workspace, token: await relay.token('operator') };
});
afterAll(() => relay?.[Symbol.asyncDispose]());

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<number | null>;
  readonly out: () => string;
  readonly err: () => string;
}

function start(at: McpPlace): Started {
  const child = spawn(process.execPath, [BIN, 'mcp'], { env: mcpEnvironment(at) });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (err += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, ended, out: () => out, err: () => err };
}

const request = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;

const INITIALIZE = request(1, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'x', version: '1' },
});

describe('holdfast mcp', () => {
  it('[A2] prints messages of the protocol and nothing else, and ends with its standard input', async () => {
    const { child, ended, out, err } = start(place);
    child.stdin.write(INITIALIZE);
    child.stdin.write(request(2, 'tools/list'));
    await expect.poll(() => out().split('\n').length).toBe(3);
    child.stdin.end();
    expect(await ended).toBe(0);
    const messages = out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    expect(messages.map(({ id }) => id)).toEqual([1, 2]);
    expect(err()).toBe('');
  });

  it('[A2] says so and ends when its token is refused', async () => {
    const { ended, err } = start({ ...place, token: 'nonsense' });
    expect(await ended).toBe(77);
    expect(err()).toMatch(/^holdfast mcp: .*token/);
  });

  it('[A2] needs a token', async () => {
    const { code, err } = await holdfast(['mcp', '--relay', relay.url.href, '--workspace', 'w']);
    expect([code, err]).toEqual([2, expect.stringContaining('no token')]);
  });

  it('[A2] serves while its relay cannot be reached, and says so in its answers', async () => {
    const port = await freePort();
    const away = { ...place, relay: new URL(`http://127.0.0.1:${port}`) };
    await using mcp = await McpClient.connect(away, { transport: 'stdio', revision: '2025-11-25' });
    expect(await mcp.call('list_sessions', {})).toMatchObject({
      isError: true,
      facts: { error: { code: 'relay_unreachable', message: expect.stringContaining(`${port}`) } },
    });
  });

  it('[A2] takes the longest message, and ends when one is longer', async () => {
    const { child, ended, out, err } = start(place);
    child.stdin.on('error', () => {});
    child.stdin.write(INITIALIZE);
    const empty = request(2, 'tools/list', { padding: '' });
    const padded = (bytes: number) => request(2, 'tools/list', { padding: 'x'.repeat(bytes - empty.length) });
    child.stdin.write(padded(MCP_MESSAGE_MAX_BYTES));
    await expect.poll(() => out().split('\n').length).toBe(3);
    child.stdin.write(padded(MCP_MESSAGE_MAX_BYTES + 1));
    expect(await ended).toBe(0);
    expect(err()).toMatch(/^holdfast mcp: .*\n$/);
    expect(out().split('\n').length).toBe(3);
  });

  it('[A2] keeps its connection: calls open no socket of their own, except to attach', async () => {
    await using mcp = await McpClient.connect(place, { transport: 'stdio', revision: '2025-11-25' });
    await mcp.facts('list_sessions', {});
    const { sockets } = await relay.counts();
    for (let call = 0; call < 5; call++) await mcp.facts('list_sessions', {});
    expect((await relay.counts()).sockets).toBe(sockets);
  });
});
