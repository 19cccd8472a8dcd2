/**
 * A push service on loopback: it takes pushes over https, checks who sent them, and answers as it is told. Its browsers
 * decrypt what it got.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { type PushNote, readPushNote } from '../../protocol/messages/push-note.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';
import { Browser, type Sender, senderOf } from './push-browser.ts';
import type { TestRelay, TestRelayOptions } from './test-relay.ts';

export interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly sender: Sender;
  readonly body: Buffer;
}

/** `hang`: no answer at all. `endless`: a body that never ends. A number: that status. */
export type PushReply =
  | number
  | 'hang'
  | 'endless'
  | { readonly status: number; readonly headers: Record<string, string> };

export class PushService implements AsyncDisposable {
  readonly #server: Server;
  readonly #received: ReceivedPush[] = [];
  #waiting: ((push: ReceivedPush) => void)[] = [];
  readonly #directory = mkdtempSync(join(tmpdir(), 'holdfast-push-'));
  /** Connections, also those that were cut before they asked for anything. */
  connections = 0;
  /** How it answers from now on. */
  reply: PushReply = 201;

  private constructor() {
    this.#server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, response) =>
      this.#take(request, response),
    );
    this.#server.on('connection', () => this.connections++);
  }

  static async open(): Promise<PushService> {
    const service = new PushService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How a relay is told to trust and to use these services. */
  static relayOptions(...services: readonly PushService[]): TestRelayOptions {
    const [first] = services;
    if (first === undefined) throw new Error('invariant: no service');
    const file = join(first.#directory, 'certificate.pem');
    writeFileSync(file, CERTIFICATE);
    return {
      settings: { RELAY_PUSH_HOSTS: services.map(({ host }) => host).join(',') },
      certificates: { SSL_CERT_FILE: file, SSL_CERT_DIR: undefined },
    };
  }

  endpoint(name: string): string {
    return `https://${this.host}/push/${name}`;
  }

  /** The next push that nobody has asked for yet. */
  next(): Promise<ReceivedPush> {
    const push = this.#received.shift();
    return push !== undefined ? Promise.resolve(push) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Pushes that nobody has asked for. */
  get unread(): number {
    return this.#received.length;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { headers, url: path = '' } = request;
      const push = {
        path,
        headers,
        sender: senderOf(headers.authorization ?? ''),
        body: Buffer.concat(pieces),
      };
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#received.push(push);
      else waiting(push);
      this.#answer(response);
    });
  }

  #answer(response: ServerResponse): void {
    const { reply } = this;
    if (reply === 'hang') return;
    if (reply === 'endless') {
      response.writeHead(201);
      const endless = new Readable({ read: () => void endless.push('x'.repeat(65_536)) });
      // It ends with the connection.
      return void pipeline(endless, response, () => {});
    }
    const { status, headers } = typeof reply === 'number' ? { status: reply, headers: {} } : reply;
    response.writeHead(status, headers).end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** A browser that has subscribed at a relay. */
export class SubscribedBrowser {
  readonly browser: Browser;
  readonly name: string;
  readonly #relay: TestRelay;
  readonly #service: PushService;
  readonly #token: string;

  private constructor(parts: {
    relay: TestRelay;
    service: PushService;
    browser: Browser;
    name: string;
    token: string;
  }) {
    this.browser = parts.browser;
    this.name = parts.name;
    this.#relay = parts.relay;
    this.#service = parts.service;
    this.#token = parts.token;
  }

  static async at(
    relay: TestRelay,
    service: PushService,
    name: string,
    token?: string,
    more: object = {},
  ): Promise<SubscribedBrowser> {
    const browser = await Browser.open();
    const used = token ?? (await relay.token('operator'));
    const subscribed = new SubscribedBrowser({ relay, service, browser, name, token: used });
    await subscribed.key();
    const { status } = await subscribed.subscribe(more);
    if (status !== 201) throw new Error(`not subscribed: ${status}`);
    return subscribed;
  }

  async key(): Promise<string> {
    const answer = await fetch(this.#at('key'), { headers: { Authorization: `Bearer ${this.#token}` } });
    return ((await answer.json()) as { key: string }).key;
  }

  subscribe(more: object = {}): Promise<Response> {
    const { name, browser } = this;
    const body = {
      endpoint: this.#service.endpoint(name),
      expirationTime: null,
      keys: browser.keys,
      ...more,
    };
    return fetch(this.#at('subscriptions'), {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#token}` },
      body: JSON.stringify(body),
    });
  }

  unsubscribe(id: string, token = this.#token): Promise<Response> {
    return fetch(this.#at(`subscriptions/${id}`), {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` },
    });
  }

  /** What a push to it says. Throws when it is not for this browser. */
  read({ body, path }: ReceivedPush): PushNote {
    if (!path.endsWith(`/${this.name}`)) throw new Error(`this push went to ${path}`);
    const note = readPushNote(JSON.parse(this.browser.decrypt(body)));
    if (note === null) throw new Error('the push says nothing that is known');
    return note;
  }

  #at(path: string): URL {
    return new URL(`/api/workspaces/${this.#relay.workspace}/push/${path}`, this.#relay.url);
  }
}
