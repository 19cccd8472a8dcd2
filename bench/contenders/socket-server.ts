/** A socket server on loopback that returns incoming connections in order. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export class SocketServer {
  readonly #server: WebSocketServer;
  readonly #arrived: WebSocket[] = [];
  #wakeUp: () => void = () => {};

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#arrived.push(socket);
      this.#wakeUp();
    });
  }

  static async listen(): Promise<SocketServer> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
    const ours = new SocketServer(server);
    await once(server, 'listening');
    return ours;
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`);
  }

  async accept(): Promise<WebSocket> {
    for (;;) {
      const socket = this.#arrived.shift();
      if (socket !== undefined) return socket;
      await new Promise<void>((resolve) => {
        this.#wakeUp = resolve;
      });
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }
}
