/**
 * What others import from the package: `holdfast/client`, `/node` and `/react`, by name, with types, in a separate
 * project.
 */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writePackage } from '../../tools/package.ts';
import { machineNode } from '../support/processes.ts';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';
import { ROOT } from './imports.ts';

const project = mkdtempSync(join(tmpdir(), 'holdfast-library-'));
const installed = (name: string) => join(project, 'node_modules', name);
const write = (name: string, text: string) => writeFileSync(join(project, name), text);

beforeAll(async () => {
  await writePackage(installed('holdfast'));
  // Of what a page has, only React; none of what Holdfast is made of.
  mkdirSync(installed('@types'));
  for (const name of ['react', 'react-dom', 'scheduler', '@types/react', '@types/react-dom', 'csstype'])
    cpSync(join(ROOT, 'node_modules', name), installed(name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules/@types/node'), installed('@types/node'));
  write('package.json', '{"type": "module"}');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('holdfast/client and holdfast/node', () => {
  it('run a command on the machine from a short program, on the Node of the machine', async () => {
    write(
      'run.js',
      `import { WorkspaceClient } from 'holdfast/client';
import { dialFromNode, inflate, systemClock } from 'holdfast/node';
const dial = dialFromNode(process.env.RELAY, 'test', () => process.env.TOKEN);
const client = new WorkspaceClient({
  dial, inflate, clock: systemClock, random: Math.random, watched: () => true, instance: crypto.randomUUID(),
});
await new Promise((resolve) => client.onChange(() => client.state.agent?.state === 'online' && resolve()));
const size = { cols: 80, rows: 24 };
const { id } = await client.create({ ...size, command: 'sh', args: ['-c', 'echo $((6*7)); exit 3'] });
const screen = { write: (bytes, shown) => process.stdout.write(bytes, shown), reset() {}, resize() {} };
const session = client.attach(id, size, screen, { isNew: true });
session.onChange(() => {
  if (session.state.name !== 'exited') return;
  process.exitCode = session.state.exitCode;
  client.leave();
});
`,
    );
    await using world = await World.open();
    const env = { RELAY: world.relay.url.href, TOKEN: await world.relay.token('operator') };
    const ran = promisify(execFile)(machineNode(), [join(project, 'run.js')], { env });
    await expect(ran).rejects.toMatchObject({ code: 3, stdout: '42\r\n' });
  });

  it('have types that accept correct use and reject the rest', () => {
    write(
      'use.ts',
      `import { type SessionInfo, WorkspaceClient } from 'holdfast/client';
import { dialFromNode, inflate, systemClock } from 'holdfast/node';
import { MultiTerminal } from 'holdfast/react';
const dial = dialFromNode('http://localhost', 'w', () => 't');
const client = new WorkspaceClient({ dial, inflate, clock: systemClock, random: Math.random, watched: () => true, instance: 'i' });
export const names: Promise<string[]> = client.list().then((all: readonly SessionInfo[]) => all.map(({ name }) => name));
export const Page = () => MultiTerminal({ workspace: 'w', renderer: 'dom' });
// @ts-expect-error: a session has no such thing
export const wrong = (session: SessionInfo) => session.colour;
// @ts-expect-error: nor is there such a renderer
export const Other = () => MultiTerminal({ workspace: 'w', renderer: 'canvas' });
`,
    );
    const flags = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
    const types = ['--types', 'node', '--lib', 'es2024,dom'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const check = () => execFileSync(process.execPath, [tsc, ...flags, ...types, 'use.ts'], { cwd: project });
    expect(check().toString()).toBe('');
  });
});

describe('holdfast/react', () => {
  const outDir = join(project, 'out');
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const file = join(outDir, path === '/' ? 'index.html' : path);
    const type = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }[extname(file)];
    response.setHeader('Content-Type', type ?? 'application/octet-stream');
    // A browser requests an icon by itself.
    response.statusCode = existsSync(file) ? 200 : 404;
    response.end(existsSync(file) ? readFileSync(file) : '');
  });
  let world: World;
  let page: Page;
  let origin: string;

  beforeAll(async () => {
    write('index.html', PAGE);
    write('page.js', PAGE_SCRIPT);
    await build({ configFile: false, root: project, logLevel: 'error', build: { outDir, target: 'es2022' } });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    world = await World.open({}, await TestRelay.onWorkerd({ settings: { RELAY_ORIGINS: origin } }));
    page = await (await world.browserContext()).newPage();
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await world?.[Symbol.asyncDispose]();
  });

  it('shows the terminals of a workspace in a page that uses only it and React', async () => {
    const address = new URL(origin);
    address.searchParams.set('relay', world.relay.url.href);
    address.searchParams.set('token', await world.relay.token('operator'));
    await page.goto(address.href);
    await terminalOf(page).types('echo packed-$((1+1))\n');
    await terminalOf(page).shows(/^packed-2$/m);
    const bar = page.getByRole('tablist').first();
    expect(await bar.evaluate((element) => getComputedStyle(element).display), 'has its styles').toBe('flex');
  });
});

const PAGE = '<div id="root" style="height: 100vh"></div><script type="module" src="./page.js"></script>';

const PAGE_SCRIPT = `import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { MultiTerminal } from 'holdfast/react';
import 'holdfast/react.css';
const { searchParams } = new URL(location.href);
const getToken = async () => searchParams.get('token');
const place = { relay: searchParams.get('relay'), workspace: 'test' };
createRoot(document.getElementById('root')).render(createElement(MultiTerminal, { ...place, renderer: 'dom', getToken }));
`;
