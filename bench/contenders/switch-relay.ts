/** The minimal relay: an object on workerd that forwards everything between its two sockets. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Relay, startRelay } from '../../cli/relay/relay.ts';
import { SUBPROTOCOL } from '../../protocol/version.ts';

const SECRET = 'a secret for benchmarks that has more than thirty-two bytes';

export const SWITCH_SCRIPT = `
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

/** Everything except the script is the same as ours, including the configuration of workerd. */
export async function startSwitch(stateDir: string): Promise<Relay> {
  const file = join(stateDir, 'switch.js');
  await writeFile(file, SWITCH_SCRIPT);
  const modules = [{ name: 'switch.js', file }];
  return startRelay({ host: '127.0.0.1', port: 0, stateDir, secret: SECRET, modules });
}

export class SwitchRelay implements AsyncDisposable {
  readonly url: URL;
  readonly pid: number;
  readonly #relay: Relay;
  readonly #stateDir: string;

  private constructor(relay: Relay, stateDir: string) {
    this.url = relay.url;
    this.pid = relay.pid;
    this.#relay = relay;
    this.#stateDir = stateDir;
  }

  static async start(): Promise<SwitchRelay> {
    const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
    return new SwitchRelay(await startSwitch(stateDir), stateDir);
  }

  async messages(): Promise<number> {
    return (await fetch(new URL('/messages', this.url))).json() as Promise<number>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay.stop();
    await rm(this.#stateDir, { recursive: true, force: true });
  }
}
