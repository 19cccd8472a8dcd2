/** The proxy causes exactly the fault it names: a fault that does not happen proves nothing. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ChaosProxy } from '../support/chaos-proxy.ts';

/** A server that records what it receives, and a client of it through the proxy. */
async function connected() {
  const server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const proxy = await ChaosProxy.to(new URL(`http://127.0.0.1:${port}`));
  const near = connect(Number(proxy.url.port), '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  for (const socket of [near, far]) socket.on('error', () => {});
  return {
    proxy,
    near,
    far,
    async [Symbol.asyncDispose]() {
      near.destroy();
      far.destroy();
      await proxy[Symbol.asyncDispose]();
      server.close();
    },
  };
}

/** Resolves when a socket has closed, by an error or without. */
function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

const LONG = 'numbered '.repeat(5_000);

describe('the chaos proxy', () => {
  it.each([
    ['plain', {}],
    ['single bytes', { singleBytes: true }],
    ['slow', { latencyMs: 5, bytesPerSecond: 400_000 }],
  ])('forwards every byte in order over a link that is %s', async (_, shape) => {
    await using link = await connected();
    link.proxy.shape(shape);
    link.near.end(LONG);
    expect(await text(link.far)).toBe(LONG);
  });

  it('stalls one direction without affecting the other, and delivers the stalled bytes later', async () => {
    await using link = await connected();
    link.proxy.hold('up');
    link.near.write('held');
    link.far.write('passes');
    expect(String((await once(link.near, 'data'))[0])).toBe('passes');
    // Later data arrives after earlier data: if that had not been held, it would have arrived.
    expect(link.far.readableLength).toBe(0);
    link.proxy.release();
    expect(String((await once(link.far, 'data'))[0])).toBe('held');
  });

  it('closes both ends', async () => {
    await using link = await connected();
    const ends = Promise.all([closing(link.near), closing(link.far)]);
    link.far.resume();
    link.proxy.cut();
    await ends;
  });

  it.each(['near', 'far'] as const)('leaves the %s end with a connection that is dead', async (survivor) => {
    await using link = await connected();
    const lost = survivor === 'near' ? link.far : link.near;
    lost.resume();
    const closed = closing(lost);
    link.proxy.halfOpen(survivor);
    await closed;
    link[survivor].write('into nothing');
    expect(link[survivor].destroyed).toBe(false);
    expect(link[survivor].readyState).toBe('open');
  });
});
