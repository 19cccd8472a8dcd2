/** The addresses of a relay: for browsers, for the agent beside it, and for asking whether that is connected. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, rootCertificates } from 'node:tls';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { untilAgentOnline } from '../../../cli/local/agent-online.ts';
import { LocalParts } from '../../../cli/local/local-parts.ts';
import { LocalState } from '../../../cli/local/local-state.ts';
import { addressesOf, type RelayPlace } from '../../../cli/local/relay-place.ts';
import type { RelayOptions } from '../../../cli/relay/relay.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../support/certificate.ts';

const dir = mkdtempSync(join(tmpdir(), 'holdfast-place-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};
const tls = { certFile: file('cert.pem', CERTIFICATE), keyFile: file('key.pem', CERTIFICATE_KEY) };

const place = (more: Partial<RelayPlace>): RelayPlace => ({
  host: '127.0.0.1',
  port: 8787,
  publicUrl: undefined,
  tls: undefined,
  ...more,
});

describe('the addresses of a relay', () => {
  it.each([
    ['http://127.0.0.1:8787', {}, 'http://127.0.0.1:8787/', 'http://127.0.0.1:8787/'],
    [
      'http://127.0.0.1:8787',
      { publicUrl: 'https://shells.example.com' },
      'https://shells.example.com/',
      'http://127.0.0.1:8787/',
    ],
    // The agent checks the certificate, which is for localhost and 127.0.0.1.
    ['https://127.0.0.1:8443', { tls }, 'https://127.0.0.1:8443/', 'https://127.0.0.1:8443/'],
    ['https://[::1]:8443', { tls }, 'https://localhost:8443/', 'https://localhost:8443/'],
    [
      'https://127.0.0.1:8443',
      { tls, publicUrl: 'https://shells.example.com' },
      'https://shells.example.com/',
      'https://shells.example.com/',
    ],
  ])('[J1] at %s with %j are %s for browsers and %s for the agent', (listening, more, page, agent) => {
    const addresses = addressesOf(place(more), new URL(listening));
    expect([addresses.page.href, addresses.agent.href]).toEqual([page, agent]);
  });

  it('[J1] stay the same when the relay is restarted, also at a port that addresses leave out', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const ports: number[] = [];
    let end: (how: string) => void = () => {};
    const startRelay = async ({ port }: RelayOptions) => {
      ports.push(port);
      const ended = new Promise<string>((resolve) => {
        end = resolve;
      });
      return { url: new URL(`https://127.0.0.1:${port}`), pid: 1, ended, stop: async () => {} };
    };
    const state = await LocalState.open(join(dir, 'state'));
    const parts = new LocalParts(state, { startRelay });
    await parts.startRelay(place({ port: 443, tls }));
    end('SIGKILL');
    await expect.poll(() => ports).toEqual([443, 443]);
    await state.release();
    vi.restoreAllMocks();
  });
});

describe('asking a relay with TLS whether its agent is connected', () => {
  it('[J1] sends the token to the holder of its own certificate only', async () => {
    let received = '';
    const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (socket) => {
      socket.on('data', (bytes) => {
        received += bytes;
        socket.end('HTTP/1.1 200 OK\r\n\r\n{"agent":{"state":"online"}}');
      });
      socket.on('error', () => {});
    });
    const over = new Promise((resolve) =>
      server.once('connection', (socket) => socket.once('close', resolve)),
    );
    server.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const stop = new AbortController();
    const awaited = {
      relay: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
      workspace: 'local',
      token: 'secret-token',
      trouble: () => null,
      say: () => {},
      signal: stop.signal,
    };
    const another = file('another.pem', rootCertificates[0] ?? '');
    const waiting = untilAgentOnline({ ...awaited, certificate: another });
    await over;
    stop.abort();
    expect([await waiting, received]).toEqual([false, '']);
    const { signal } = new AbortController();
    expect(await untilAgentOnline({ ...awaited, certificate: tls.certFile, signal })).toBe(true);
    expect(received).toContain('Bearer secret-token');
    server.close();
  });
});
