/**
 * `npx node test/inspector/run.ts`: uses our tools with the command line of the MCP inspector, a client that others
 * wrote, over both transports, with a real relay and agent. Run `npm run build` first. The inspector brings over a
 * hundred packages that nothing else needs, so it is installed into a temporary directory each time.
 */
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import { BIN } from '../support/holdfast-command.ts';
import { mcpEnvironment } from '../support/mcp-client.ts';
import { World } from '../support/world.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-inspector-'));

interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Where the inspector finds the server: arguments of its command line. */
type Target = readonly string[];

function inspect(target: Target, args: readonly string[]): Promise<Printed> {
  const launcher = join(dir, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [launcher, '--cli', ...target, ...args],
      { cwd: dir, env: { ...process.env, HOME: dir }, maxBuffer: 16 * 1024 * 1024 },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
    );
  });
}

const call = (name: string, input: Readonly<Record<string, unknown>>) => [
  ...['--method', 'tools/call', '--tool-name', name],
  ...Object.entries(input).flatMap(([key, value]) => [
    '--tool-arg',
    `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]),
];

async function facts(target: Target, name: string, input: Readonly<Record<string, unknown>>) {
  const { code, out, err } = await inspect(target, call(name, input));
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${out}${err}`);
  return (JSON.parse(out) as { structuredContent: Record<string, unknown> }).structuredContent;
}

function must(condition: boolean, what: string, seen: unknown): void {
  if (!condition) throw new Error(`${what}: ${JSON.stringify(seen)}`);
  console.log(`  ok: ${what}`);
}

async function tour(target: Target, name: string): Promise<void> {
  console.log(`The inspector over ${name}:`);
  const listed = await inspect(target, ['--method', 'tools/list', '--strict']);
  must(listed.code === 0, 'finds no fault with the schemas', listed);
  must((JSON.parse(listed.out) as { tools: unknown[] }).tools.length === 9, 'lists nine tools', listed.out);
  const opened = await facts(target, 'open_session', { key: `inspected over ${name}` });
  const { id: session } = opened.session as { id: string };
  must(opened.created === true, 'opens a session', opened);
  const run = await facts(target, 'run', { session, command: 'echo hello; false' });
  must(run.exitCode === 1 && run.output === 'hello', 'runs a command', run);
  const screen = await facts(target, 'read', { session });
  must(String(screen.text).includes('hello'), 'reads the screen', screen);
  const found = await facts(target, 'wait', { session, for: 'text', text: 'hello' });
  must(found.happened === true, 'waits for text', found);
  const typed = await facts(target, 'keys', { session, keys: ['ctrl-c'] });
  must(typeof typed.offset === 'number', 'presses keys', typed);
  must((await facts(target, 'close', { session })).closed === true, 'closes the session', null);
}

/** Cuts the connection in the middle of a run, and repeats the call. */
async function cut(target: Target, proxy: CuttingProxy, name: string): Promise<void> {
  const [runs, go] = ['runs', 'go'].map((file) => join(dir, `${file}-${name}`)) as [string, string];
  writeFileSync(runs, '');
  const command = `echo x >> ${runs}; until [ -e ${go} ]; do sleep 0.1; done; echo finished`;
  const { session } = (await facts(target, 'open_session', { key: `cut over ${name}` })) as {
    session: { id: string };
  };
  const input = { session: session.id, command, idempotencyKey: 'cut', timeoutMs: 20_000 };
  const first = inspect(target, call('run', input));
  while (readFileSync(runs, 'utf8') === '') await pause(50);
  proxy.cut();
  appendFileSync(go, '');
  await first;
  const again = await facts(target, 'run', input);
  must(
    again.state === 'done' && again.output === 'finished',
    'a call that was cut, repeated, has its result',
    again,
  );
  must(readFileSync(runs, 'utf8') === 'x\n', 'and the command ran once', readFileSync(runs, 'utf8'));
}

if (!existsSync(BIN)) throw new Error('Nothing is built; run `npm run build` first.');
try {
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', '--no-save', '--prefix', dir, INSPECTOR], {
    stdio: 'inherit',
  });
  await using world = await World.open({ shell: '/bin/bash' });
  await world.client();
  await using proxy = await CuttingProxy.to(world.relay.url);
  const place = {
    relay: proxy.url,
    workspace: world.relay.workspace,
    token: await world.relay.token('operator'),
  };
  const variables = Object.entries(mcpEnvironment(place)).flatMap(([key, value]) => [
    '-e',
    `${key}=${value}`,
  ]);
  const stdio = [...variables, process.execPath, BIN, 'mcp'];
  const http = [new URL('/mcp', proxy.url).href, '--header', `Authorization: Bearer ${place.token}`];
  for (const [name, target] of Object.entries({ stdio, http })) {
    await tour(target, name);
    await cut(target, proxy, name);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
