/** Our programs listen where the documentation says, and nowhere else. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mintToken } from '../../cli/relay/mint-token.ts';
import { startRelay } from '../../cli/relay/relay.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { DeskTerminal } from '../support/holdfast-command.ts';
import { listeningSockets } from '../support/listening-sockets.ts';
import { hasProc, unlessProc } from '../support/needs-proc.ts';
import { familyOf } from '../support/process-table.ts';
import { gone } from '../support/processes.ts';
import { World } from '../support/world.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdfast-sockets-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function written(name: string, text: string): string {
  writeFileSync(join(dir, name), text, { mode: 0o600 });
  return join(dir, name);
}

describe.skipIf(!hasProc)(`listening sockets${unlessProc}`, () => {
  it.each([
    { host: '127.0.0.1', shown: '127.0.0.1', reached: '127.0.0.1' },
    { host: '::1', shown: '[::1]', reached: '[::1]' },
    { host: '0.0.0.0', shown: '0.0.0.0', reached: '127.0.0.1' },
    { host: '::', shown: '[::]', reached: '[::1]' },
    { host: 'localhost', shown: '127.0.0.1', reached: '127.0.0.1' },
  ])(
    '[SEC14] [X1] holdfast relay --host $host listens on one socket, at the address that it prints',
    async ({ host, shown, reached }) => {
      const args = ['relay', '--host', host, '--port', '0', '--state-dir', join(dir, 'state')];
      const desk = new DeskTerminal(args, {}, { size: { cols: 300, rows: 24 } });
      const [, address, port] = await desk.screen.sees(/^Relay at http:\/\/(\S+):(\d+), state in /m);
      expect(address).toBe(reached);
      expect(listeningSockets(desk.pid)).toEqual([`${shown}:${port}`]);
      const family = familyOf(desk.pid);
      desk.presses('\x03');
      await gone(family);
    },
  );

  it('[X1] a relay with its own TLS listens on one socket, and its configuration contains no key', async () => {
    const [certFile, keyFile] = [written('cert.pem', CERTIFICATE), written('key.pem', CERTIFICATE_KEY)];
    const secret = 'a secret of more than thirty-two bytes for this test';
    const options = { host: '127.0.0.1', port: 0, stateDir: dir, secret, tls: { certFile, keyFile } };
    const relay = await startRelay(options);
    try {
      expect(listeningSockets(relay.pid)).toEqual([`127.0.0.1:${relay.url.port}`]);
      const configuration = readFileSync(join(dir, 'workerd.capnp'), 'utf8');
      expect(configuration).not.toContain(secret);
      expect(configuration).not.toContain(CERTIFICATE_KEY.split('\n')[1]);
    } finally {
      await relay.stop();
    }
  });

  it('[X1] an agent listens on no socket', async () => {
    await using world = await World.open();
    const client = await world.client();
    const { screen } = await client.open('sh', ['-c', 'echo ready; read x']);
    await screen.sees(/ready/);
    expect(listeningSockets(world.agent.pid)).toEqual([]);
  });

  it('[X1] an agent with a health port listens on that port of 127.0.0.1', async () => {
    const port = await freePort();
    await using world = await World.open({ agentFlags: ['--health-port', `${port}`] });
    await world.client();
    expect(listeningSockets(world.agent.pid)).toEqual([`127.0.0.1:${port}`]);
  });

  it('[X1] a header does not change the address that the relay considers its own', async () => {
    await using world = await World.open();
    const token = await mintToken(
      { workspace: 'test', role: 'operator', lifetimeSeconds: 60 },
      'x'.repeat(32),
    );
    for (const name of [
      'MF-Original-URL',
      'X-Forwarded-Host',
      'X-Original-URL',
      'Forwarded',
      'X-Forwarded-Proto',
    ]) {
      const value = name === 'X-Forwarded-Proto' ? 'https' : 'https://evil.example/w/test';
      const response = await fetch(new URL('/api/workspaces/test/health', world.relay.url), {
        headers: { [name]: value, Authorization: `Bearer ${token}`, Origin: 'https://evil.example' },
      });
      expect([name, response.status]).toEqual([name, 403]);
    }
  });
});
