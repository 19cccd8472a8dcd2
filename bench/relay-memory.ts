/**
 * `npx node bench/relay-memory.ts [-- --rounds 4] [--only sessions]`: what makes the relay's memory grow. It repeats
 * the same work, one kind at a time (nothing, frames, connections, sessions), and prints after each round the resident
 * memory of workerd and the JavaScript heap after a garbage collection. The bare switch does the same where it can;
 * growth there is caused by the platform.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Miniflare, type MiniflareOptions } from 'miniflare';
import { WebSocket } from 'ws';
import { mintToken } from '../cli/relay/mint-token.ts';
import { encodeFrame } from '../protocol/frame.ts';
import type { Role } from '../protocol/roles.ts';
import { SUBPROTOCOL } from '../protocol/version.ts';
import { miniflareOptions } from '../test/support/miniflare-relay.ts';
import { sessionInfo } from '../test/support/scripted-session.ts';
import { buildPage, buildWorker } from '../tools/build.ts';
import { freePort } from './contenders/free-port.ts';
import { SWITCH_SCRIPT } from './contenders/switch-relay.ts';
import { residentBytes, workerdStartedBy } from './measuring/process-cost.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '4' }, only: { type: 'string' } },
});
const ROUNDS = Number(values.rounds);
const SECRET = 'a secret for measuring that has more than thirty-two bytes';
const MB = 2 ** 20;
const OUTPUT = new Uint8Array(2_000).fill(120);

class Peer {
  readonly socket: WebSocket;
  #heard = 0;
  #wake: () => void = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('close', (code, reason) => {
      if (code > 1006) throw new Error(`closed with ${code}: ${reason}`);
    });
    socket.on('message', () => {
      this.#heard++;
      this.#wake();
    });
  }

  /** Resolves when this many more messages have arrived since the last call. */
  async hears(count: number): Promise<void> {
    while (this.#heard < count) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#heard -= count;
  }

  says(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  /** Without a closing handshake: the bare switch has none. */
  async leaves(): Promise<void> {
    const closed = once(this.socket, 'close');
    this.socket.terminate();
    await closed;
  }
}

interface Scene {
  readonly agent: Peer;
  readonly client: Peer;
  /** Its channel, if it has one. */
  readonly channel: number;
  dial(role: Role): Promise<Peer>;
}

type Work = (scene: Scene) => Promise<string>;

const nothing: Work = async () => {
  await sleep(5_000);
  return '5 s idle';
};

const frames: Work = async ({ agent, client }) => {
  const frame = encodeFrame({ kind: 'output', channel: 0, handle: 7, offset: 0 }, OUTPUT);
  for (let batch = 0; batch < 300; batch++) {
    for (let i = 0; i < 100; i++) agent.socket.send(frame);
    await client.hears(100);
  }
  return '30 000 frames of 2 KB';
};

const connections: Work = async ({ dial }) => {
  for (let i = 0; i < 500; i++) await (await dial('operator')).leaves();
  return '500 connections';
};

let sessionCount = 0;
const sessions: Work = async ({ agent, client, channel }) => {
  for (let batch = 0; batch < 40; batch++) {
    for (let i = 0; i < 50; i++) {
      const id = `s${++sessionCount}`;
      const handle = 1000 + sessionCount;
      agent.says({ type: 'session_changed', session: sessionInfo(id) });
      agent.says({ type: 'subscribe', channel, handle });
      agent.says({ type: 'unsubscribe', channel, handle });
      agent.says({ type: 'session_gone', session: id, reason: 'closed' });
    }
    // Arrives once everything before it was received.
    agent.says({
      type: 'to_client',
      channel,
      message: { type: 'session_activity', session: 's0', bell: false },
    });
    await client.hears(1);
  }
  return '2 000 sessions created, attached and ended';
};

async function study(name: string, options: MiniflareOptions, isOurs: boolean) {
  const inspectorPort = await freePort();
  const [miniflare, pid] = await workerdStartedBy(async () => {
    const started = new Miniflare({ ...options, inspectorPort });
    await started.ready;
    return started;
  });
  const url = await miniflare.ready;
  const inspector = await Inspector.of(inspectorPort);
  const dial = async (role: Role) => {
    const address = new URL(`/ws/${role === 'agent' ? 'agent' : 'workspaces'}/test`, url);
    address.protocol = 'ws:';
    const token = await mintToken({ workspace: 'test', role, lifetimeSeconds: 3600 }, SECRET);
    const headers = { Authorization: `Bearer ${token}` };
    const peer = new Peer(new WebSocket(address, [SUBPROTOCOL], { headers, perMessageDeflate: false }));
    await once(peer.socket, 'open');
    if (isOurs && role !== 'agent') await peer.hears(1);
    return peer;
  };
  const scene = await (isOurs ? ourScene(dial) : bareScene(dial));
  const works = isOurs ? { nothing, frames, connections, sessions } : { nothing, frames, connections };
  for (const [kind, work] of Object.entries(works)) {
    if (values.only !== undefined && values.only !== kind) continue;
    const held: string[] = [];
    let did = '';
    for (let round = 0; round <= ROUNDS; round++) {
      if (round > 0) did = await work(scene);
      const heap = await inspector.heldBytes();
      held.push(`${(residentBytes(pid) / MB).toFixed(1)} (${(heap / MB).toFixed(2)})`);
    }
    console.log(`${name}, ${did}, ${ROUNDS} times: resident (held) MB ${held.join(' → ')}`);
  }
  inspector.close();
  for (const { socket } of [scene.agent, scene.client]) socket.terminate();
  await miniflare.dispose();
}

async function ourScene(dial: Scene['dial']): Promise<Scene> {
  const agent = await dial('agent');
  agent.says({ type: 'hello', version: 1, epoch: 'e', sessions: [sessionInfo('s0')], more: false });
  await agent.hears(1);
  const client = await dial('operator');
  const asked = once(agent.socket, 'message');
  client.says({ type: 'reattach_session', request: 'r', session: 's0', instance: 'i', cols: 80, rows: 24 });
  const { channel } = JSON.parse(String((await asked)[0]));
  await agent.hears(1);
  agent.says({ type: 'subscribe', channel, handle: 7 });
  return { agent, client, channel, dial };
}

async function bareScene(dial: Scene['dial']): Promise<Scene> {
  return { agent: await dial('agent'), client: await dial('operator'), channel: 0, dial };
}

/** The debugger ports of workerd: one for each of the Workers that Miniflare runs in addition to ours. */
class Inspector {
  readonly #sockets: readonly WebSocket[];
  #asked = 0;

  private constructor(sockets: readonly WebSocket[]) {
    this.#sockets = sockets;
  }

  static async of(port: number): Promise<Inspector> {
    const doors = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as Door[];
    const sockets = doors.map(({ webSocketDebuggerUrl }) => new WebSocket(webSocketDebuggerUrl));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    return new Inspector(sockets);
  }

  /** All JavaScript heaps, including buffers, after a garbage collection: a heap snapshot starts with one. */
  async heldBytes(): Promise<number> {
    const held = await Promise.all(
      this.#sockets.map(async (socket) => {
        await this.#ask(socket, 'HeapProfiler.takeHeapSnapshot');
        const { usedSize, backingStorageSize } = (await this.#ask(socket, 'Runtime.getHeapUsage')) as Usage;
        return usedSize + backingStorageSize;
      }),
    );
    return held.reduce((sum, bytes) => sum + bytes, 0);
  }

  close(): void {
    for (const socket of this.#sockets) socket.close();
  }

  #ask(socket: WebSocket, method: string): Promise<unknown> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      const hear = (data: Buffer) => {
        const answer = JSON.parse(String(data)) as { id?: number; result?: unknown };
        if (answer.id !== id) return;
        socket.off('message', hear);
        resolve(answer.result);
      };
      socket.on('message', hear);
      socket.send(JSON.stringify({ id, method }));
    });
  }
}

interface Door {
  readonly webSocketDebuggerUrl: string;
}

interface Usage {
  readonly usedSize: number;
  readonly backingStorageSize: number;
}

await buildPage();
await buildWorker();
for (const name of ['relay', 'switch'] as const) {
  const stateDir = await mkdtemp(join(tmpdir(), 'holdfast-memory-'));
  const isOurs = name === 'relay';
  // Miniflare has an inspector, by which the heap is read.
  const ours = await miniflareOptions({ host: '127.0.0.1', port: 0, stateDir, secret: SECRET });
  const modules = [{ type: 'ESModule', path: '/index.js', contents: SWITCH_SCRIPT }];
  const options = isOurs ? ours : ({ ...ours, modulesRoot: '/', modules } as MiniflareOptions);
  await study(name, options, isOurs);
  await rm(stateDir, { recursive: true, force: true });
}
process.exit();
