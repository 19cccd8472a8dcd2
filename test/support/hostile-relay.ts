/** A relay on loopback that answers whatever a test tells it to: to clients that must not believe it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import { SUBPROTOCOL } from '../../protocol/version.ts';

/** What is sent for a message: texts as they are, objects as JSON, bytes as a data frame. */
export type HostileAnswers = (message: ClientMessage) => readonly (string | object | Uint8Array)[];

/** The agent's state, which every client is sent first. */
export const ONLINE = {
  state: 'online',
  since: null,
  epoch: 'e',
  generation: 1,
  listsCommands: true,
} as const;

export class HostileRelay implements Disposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async answering(answers: HostileAnswers, agent: object = ONLINE): Promise<HostileRelay> {
    const server = createServer();
    const sockets = new WebSocketServer({ server, handleProtocols: () => SUBPROTOCOL });
    sockets.on('connection', (socket) => {
      socket.on('error', () => {});
      say(socket, { type: 'agent_state', agent, role: 'operator' });
      socket.on('message', (data, isBinary) => {
        if (isBinary) return;
        const text = String(data);
        if (text === 'ping') return say(socket, 'pong');
        for (const answer of answers(JSON.parse(text))) say(socket, answer);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new HostileRelay(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  [Symbol.dispose](): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function say(socket: WebSocket, answer: string | object | Uint8Array): void {
  const isRaw = typeof answer === 'string' || answer instanceof Uint8Array;
  socket.send(isRaw ? answer : JSON.stringify(answer));
}
