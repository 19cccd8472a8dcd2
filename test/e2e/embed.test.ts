/** The example of an embedding page, on its own origin, with tokens from its own server. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { terminalOf } from '../support/terminal-page.ts';
import { TestRelay } from '../support/test-relay.ts';
import { World } from '../support/world.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/embed', import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

it('an embedding page shows the terminals of a workspace, and gets a new token when the old one expires', async () => {
  const outDir = await mkdtemp(join(tmpdir(), 'holdfast-embed-'));
  await build({ configFile: false, root: EXAMPLE, logLevel: 'error', build: { outDir, target: 'es2022' } });
  const tokens: string[] = [];
  let mint = async (): Promise<string> => '';
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/token') {
      tokens.push(await mint());
      return response.end(tokens.at(-1));
    }
    const file = path === '/' ? '/index.html' : path;
    response.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    return response.end(await readFile(join(outDir, file)).catch(() => ''));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const relay = await TestRelay.onWorkerd({ settings: { RELAY_ORIGINS: origin } });
  mint = () => relay.token('operator');
  await using world = await World.open({}, relay);
  const page = await (await world.browserContext()).newPage();
  const address = new URL(`/?renderer=dom&workspace=${relay.workspace}`, origin);
  address.searchParams.set('relay', relay.url.href);
  await page.goto(address.href);
  const terminal = terminalOf(page);
  await terminal.types('echo embedded-$((1+1))\n');
  await terminal.shows(/^embedded-2$/m);
  // Such a page has no login of its own that another device could be given.
  expect(await page.getByRole('button', { name: 'Sessions' }).count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Continue on another device' }).count()).toBe(0);
  expect(await page.getByRole('heading', { level: 1 }).first().textContent()).toBe('A page of your own');

  const { jti } = JSON.parse(Buffer.from(tokens[0]?.split('.')[1] ?? '', 'base64url').toString());
  await fetch(new URL(`/api/workspaces/${relay.workspace}/revocations`, relay.url), {
    method: 'POST',
    headers: { ...(await relay.bearer('operator')), 'Content-Type': 'application/json' },
    body: JSON.stringify({ jti }),
  });
  await expect.poll(() => tokens.length).toBe(2);
  await terminal.types('echo again-$((1+1))\n');
  await terminal.shows(/^again-2$/m);
  server.close();
  server.closeAllConnections();
  await rm(outDir, { recursive: true });
});
