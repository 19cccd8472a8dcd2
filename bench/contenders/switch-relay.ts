/** The least that can be called a relay: an object on workerd that sends what one of its sockets says to the other. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Miniflare, type MiniflareOptions } from 'miniflare';
import { miniflareOptions } from '../../cli/relay.ts';
import { SUBPROTOCOL } from '../../protocol/version.ts';

const SECRET = 'a secret for benchmarks that has more than thirty-two bytes';

const SCRIPT = `
import { DurableObject } from 'cloudflare:workers';
let messages = 0;
export class Workspace extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
  }
  fetch(request) {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.ctx.acceptWebSocket(ours);
    const asked = request.headers.get('Sec-WebSocket-Protocol');
    const headers = asked === null ? {} : { 'Sec-WebSocket-Protocol': '${SUBPROTOCOL}' };
    return new Response(null, { status: 101, webSocket: theirs, headers });
  }
  webSocketMessage(socket, message) {
    messages++;
    for (const other of this.ctx.getWebSockets()) if (other !== socket) other.send(message);
  }
  webSocketClose() {}
  webSocketError() {}
}
export default {
  fetch: (request, env) =>
    new URL(request.url).pathname === '/messages'
      ? Response.json(messages)
      : env.WORKSPACE.getByName('test').fetch(request),
};`;

/** All but the script is the same as ours, the page's files in front included: they are a hop for whoever has them. */
export async function switchOptions(stateDir: string): Promise<MiniflareOptions> {
  const ours = await miniflareOptions({ host: '127.0.0.1', port: 0, stateDir, secret: SECRET });
  return {
    ...ours,
    modulesRoot: '/',
    modules: [{ type: 'ESModule', path: '/index.js', contents: SCRIPT }],
  } as MiniflareOptions;
}

export class SwitchRelay implements AsyncDisposable {
  readonly url: URL;
  readonly #miniflare: Miniflare;
  readonly #stateDir: string;

  private constructor(url: URL, miniflare: Miniflare, stateDir: string) {
    this.url = url;
    this.#miniflare = miniflare;
    this.#stateDir = stateDir;
  }

  static async start(): Promise<SwitchRelay> {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    const miniflare = new Miniflare(await switchOptions(stateDir));
    return new SwitchRelay(await miniflare.ready, miniflare, stateDir);
  }

  async messages(): Promise<number> {
    return (await fetch(new URL('/messages', this.url))).json() as Promise<number>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#miniflare.dispose();
    await rm(this.#stateDir, { recursive: true, force: true });
  }
}
