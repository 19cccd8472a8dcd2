/**
 * One end of a real socket, controlled by a test: an agent or a client that sends exactly what it is told to. Every
 * wait is for something to arrive; nothing polls.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { decodeFrame, encodeFrame, type Frame } from '../../protocol/frame.ts';
import { SUBPROTOCOL } from '../../protocol/version.ts';

type Incoming = { readonly type: string } & Record<string, unknown>;

export class ScriptedPeer implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #inbox: (Incoming | Frame | 'pong')[] = [];
  #wakeUp: () => void = () => {};
  /** Headers of the answer to the upgrade. */
  headers: IncomingHttpHeaders = {};
  /** Resolves when the socket has closed, with the code and reason of the other side. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('upgrade', (response) => {
      this.headers = response.headers;
    });
    socket.on('message', (data: Buffer, isBinary) => {
      const text = isBinary ? undefined : data.toString();
      if (text === undefined) this.#inbox.push(decodeFrame(new Uint8Array(data)));
      else this.#inbox.push(text === 'pong' ? text : JSON.parse(text));
      this.#wakeUp();
    });
  }

  static async connect(
    url: URL,
    headers: Record<string, string>,
    subprotocols: string[] = [SUBPROTOCOL],
  ): Promise<ScriptedPeer> {
    const address = new URL(url);
    address.protocol = 'ws:';
    const socket = new WebSocket(address, subprotocols, { headers, perMessageDeflate: false });
    const peer = new ScriptedPeer(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
      socket.once('unexpected-response', (_, response) =>
        bodyOf(response).then(
          (body) => reject(new Error(`refused with ${response.statusCode}: ${body}`)),
          reject,
        ),
      );
    });
    return peer;
  }

  send(message: string | Uint8Array | object): void {
    const raw = typeof message === 'string' || message instanceof Uint8Array;
    this.#socket.send(raw ? message : JSON.stringify(message));
  }

  /** The next message of this type; what arrives before it is dropped. */
  async message<T extends Incoming = Incoming>(type: string): Promise<T> {
    return (await this.#next((item) => isMessage(item) && item.type === type)) as T;
  }

  /** The next data frame; what arrives before it is dropped. */
  async frame(): Promise<Frame> {
    return (await this.#next((item) => typeof item === 'object' && 'payload' in item)) as Frame;
  }

  acknowledge(handle: number, offset: number): void {
    this.send(encodeFrame({ kind: 'ack', channel: 0, handle, offset }));
  }

  /** Whatever arrives next. */
  async next(): Promise<Incoming | Frame | 'pong'> {
    return this.#next(() => true);
  }

  /** Exchanges a heartbeat; everything else that has arrived stays unread. */
  async pong(): Promise<void> {
    this.send('ping');
    while (!this.#inbox.includes('pong')) await this.#arrival();
    this.#inbox.splice(this.#inbox.indexOf('pong'), 1);
  }

  /** Everything that arrived and was not read. */
  get unread(): readonly unknown[] {
    return this.#inbox;
  }

  /** Stops reading from the socket, as on a dead path: a close is not answered either. */
  freeze(): void {
    this.#socket.pause();
  }

  /** Ends without a closing handshake, as a crash does. */
  terminate(): void {
    this.#socket.terminate();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close(1000);
    await this.closed;
  }

  async #next(wanted: (item: Incoming | Frame | 'pong') => boolean): Promise<Incoming | Frame | 'pong'> {
    for (;;) {
      while (this.#inbox.length > 0) {
        const item = this.#inbox.shift();
        if (item !== undefined && wanted(item)) return item;
      }
      await this.#arrival();
    }
  }

  async #arrival(): Promise<void> {
    await Promise.race([
      new Promise<void>((resolve) => {
        this.#wakeUp = resolve;
      }),
      this.closed.then(({ code, reason }) => {
        throw new Error(`closed with ${code} ${reason} while a message was awaited`);
      }),
    ]);
  }
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of response) body += chunk;
  return body;
}

function isMessage(item: Incoming | Frame | 'pong'): item is Incoming {
  return typeof item === 'object' && 'type' in item;
}
