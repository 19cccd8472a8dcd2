/**
 * A real agent connected to a relay whose object is gone: the platform answers its pings, and nothing else is answered.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { startLocalAgent } from '../../../cli/local/local-agent.ts';
import { mintToken } from '../../../cli/relay/mint-token.ts';
import { SUBPROTOCOL } from '../../../protocol/version.ts';

const HASTY_AGENT = fileURLToPath(new URL('../../support/hasty-agent.ts', import.meta.url));

it('[CN8] asks whether the relay still knows it, and dials again without an answer', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-left-over-'));
  const token = await mintToken(
    { workspace: 'test', role: 'agent', lifetimeSeconds: 3600 },
    'a secret nobody checks',
  );
  await writeFile(join(dir, 'token'), token, { mode: 0o600 });
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => SUBPROTOCOL });
  await once(server, 'listening');
  const links: string[][] = [];
  const dialledAgain = Promise.withResolvers<void>();
  server.on('connection', (socket) => {
    const heard: string[] = [];
    if (links.push(heard) === 2) dialledAgain.resolve();
    socket.on('message', (data) => {
      heard.push(data.toString());
      if (data.toString() === 'ping') socket.send('pong');
    });
  });
  const { port } = server.address() as { port: number };
  const agent = startLocalAgent({
    relay: new URL(`http://127.0.0.1:${port}`),
    workspace: 'test',
    tokenFile: join(dir, 'token'),
    program: [process.execPath, HASTY_AGENT],
  });
  try {
    await dialledAgain.promise;
    const [hello, ...rest] = links[0] ?? [];
    expect(JSON.parse(hello ?? '')).toMatchObject({ type: 'hello' });
    expect(rest.filter((frame) => frame !== 'ping')).toEqual(['{"type":"ask_presence","question":"link"}']);
  } finally {
    await agent.stop();
    server.close();
    await rm(dir, { recursive: true, force: true });
  }
});
