/** A proxy that terminates TLS in front of a relay, as nginx would: the relay sees plain http. Loopback only. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

export class TlsFront implements AsyncDisposable {
  readonly url: URL;
  readonly #server: Server;
  /** The relay's URL; set once it is known. */
  target: URL | undefined;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.url = new URL(`https://localhost:${port}`);
    server.on('secureConnection', (near) => {
      const far = connect(Number(this.target?.port), '127.0.0.1');
      near.pipe(far);
      far.pipe(near);
      for (const socket of [near, far]) {
        socket.on('error', () => {});
        socket.on('close', () => {
          near.destroy();
          far.destroy();
        });
      }
    });
  }

  static async start(): Promise<TlsFront> {
    const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return new TlsFront(server, typeof address === 'object' && address !== null ? address.port : 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
  }
}
