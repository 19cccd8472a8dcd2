/** Runs docs/assistants.md: every command in order, and every configuration that it shows, with the SDK's client. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asPattern, documentedCommands, normalised } from '../support/documented-commands.ts';
import { BIN, plainEnvironment } from '../support/holdfast-command.ts';
import { runInOneShell } from '../support/one-shell.ts';
import { SECRET, TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

const page = readFileSync(new URL('../../docs/assistants.md', import.meta.url), 'utf8');
const dir = mkdtempSync(join(tmpdir(), 'holdfast-assistants-'));

let world: World;
let token: string;

beforeAll(async () => {
  world = await World.open({ shell: '/bin/bash' }, await TestRelay.onWorkerd());
  await world.client();
  token = await world.relay.token('operator');
  writeFileSync(join(dir, 'relay-secret'), SECRET, { mode: 0o600 });
  writeFileSync(join(dir, 'agent-token'), token, { mode: 0o600 });
  const program = (name: string, line: string) => {
    writeFileSync(join(dir, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(dir, name), 0o755);
  };
  // What npx finds in a checkout, as it is built.
  program('npx', 'exec "$@"');
  program('holdfast', `exec '${process.execPath}' '${BIN}' "$@"`);
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  rmSync(dir, { recursive: true, force: true });
});

/** The reader's own values for those of the page. */
const filledIn = (text: string) =>
  text
    .replaceAll('https://relay.example.com', world.relay.url.origin)
    .replaceAll('http://127.0.0.1:8787', world.relay.url.origin)
    .replaceAll('/home/me/agent-token', join(dir, 'agent-token'))
    .replaceAll('.holdfast/relay-secret', join(dir, 'relay-secret'))
    .replaceAll(/(--workspace |-w |"HOLDFAST_WORKSPACE": ")local/g, `$1${world.relay.workspace}`);

const environment = () => plainEnvironment({ PATH: `${dir}:${process.env.PATH}`, HOLDFAST_TOKEN: token });

it('[A2] every command prints what the page shows', async () => {
  const steps = documentedCommands(page);
  expect(steps.length).toBeGreaterThan(9);
  const commands = steps.map(({ command }) => filledIn(command));
  const printed = await runInOneShell(commands, { cwd: dir, env: environment() });
  expect(printed).toHaveLength(steps.length);
  steps.forEach(({ command, output }, at) => {
    expect(normalised(printed[at] ?? ''), command).toMatch(asPattern(output));
  });
});

/** How a configuration says that the server is reached. */
interface Server {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly bearer_token_env_var?: string;
}

const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

async function connects(server: Server): Promise<void> {
  const client = new Client({ name: 'a reader', version: '1' });
  const { command = '', args = [], env = {}, url, bearer_token_env_var: variable } = server;
  const expanded = (value: string) =>
    value.replace(/\$\{env:(\w+)\}/, (_, name) => environment()[name] ?? '');
  const named = variable === undefined ? {} : { Authorization: `Bearer ${environment()[variable]}` };
  const given = Object.fromEntries(
    Object.entries(server.headers ?? {}).map(([name, value]) => [name, expanded(value)]),
  );
  const { HOLDFAST_TOKEN: _, ...plain } = environment();
  const transport =
    url === undefined
      ? new StdioClientTransport({ command, args: [...args], env: { ...plain, ...env } })
      : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...given, ...named } } });
  await client.connect(transport);
  expect((await client.listTools()).tools).toHaveLength(9);
  await client.close();
}

describe('[A2] a client with the configuration of the page finds the tools', () => {
  it.each(blocks('json'))('%s', async (text) => {
    const { mcpServers } = JSON.parse(filledIn(text)) as { mcpServers: { holdfast: Server } };
    await connects(mcpServers.holdfast);
  });

  it.each(blocks('toml'))('%s', async (text) => {
    const { mcp_servers: servers } = parse(filledIn(text)) as unknown as {
      mcp_servers: { holdfast: Server };
    };
    await connects(servers.holdfast);
  });

  it.each(blocks('sh'))('%s', async (text) => {
    const [program = '', ...rest] = await words(filledIn(text.trim()));
    expect(program).toMatch(/^(?:claude|codex)$/);
    expect(rest.slice(0, 2)).toEqual(['mcp', 'add']);
    const own = rest.indexOf('--');
    if (own > 0) return connects({ command: rest[own + 1] ?? '', args: rest.slice(own + 2) });
    const [, url = ''] = rest.slice(rest.indexOf('holdfast'));
    const [name = '', value = ''] = (rest.at(-1) ?? '').split(': ');
    await connects({ url, headers: { [name]: value } });
  });

  it('of which there are several', () => {
    expect(['json', 'toml', 'sh'].map((kind) => blocks(kind).length)).toEqual([2, 1, 3]);
  });
});

/** A command line as a shell splits it. */
async function words(line: string): Promise<string[]> {
  const [printed = ''] = await runInOneShell([`printf '%s\\n' ${line}`], { cwd: dir, env: environment() });
  return printed.trimEnd().split('\n');
}
