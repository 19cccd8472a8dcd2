/** A proxy in front of a relay that forwards plain requests only, as one that is not configured for WebSockets does. */
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PlainProxyOptions {
  /** By how much the relay's clock seems to be ahead. */
  readonly clockShiftMs?: number;
}

export class PlainProxy implements AsyncDisposable {
  readonly url: URL;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  static async to(target: URL, { clockShiftMs = 0 }: PlainProxyOptions = {}): Promise<PlainProxy> {
    const server = createServer((asked, answer) => {
      const { connection, upgrade, ...headers } = asked.headers;
      const forwarded = request(
        new URL(asked.url ?? '/', target),
        { method: asked.method, headers },
        (got) => {
          const date = new Date(Date.now() + clockShiftMs).toUTCString();
          answer.writeHead(got.statusCode ?? 502, { ...got.headers, date });
          got.pipe(answer);
        },
      );
      forwarded.on('error', () => answer.destroy());
      asked.pipe(forwarded);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PlainProxy(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
