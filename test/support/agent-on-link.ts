/** Runs the agent inside the test process, on a real link to a real relay, so that a test can inspect its state. */
import { deflateRawSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../protocol/version.ts';
import { keepNothing } from '../../vm-agent/disk/session-storage.ts';
import { Agent } from '../../vm-agent/link/agent.ts';
import type { OpenScreen } from '../../vm-agent/output/session-output.ts';
import { FakeClock } from './fake-clock.ts';
import { fakeSpawner } from './fake-pty.ts';
import { fakeScreens } from './fake-screen.ts';
import type { TestRelay } from './test-relay.ts';

const LIMITS = {
  historyBytes: 10_000,
  maxSessions: 10,
  whenFull: 'refuse',
  orphanGraceMs: 60_000,
  idleTimeoutMs: 0,
  exitedKeepMs: 60_000,
} as const;

export class AgentOnLink implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly spawner = fakeSpawner();
  readonly screens = fakeScreens();
  readonly agent: Agent;
  readonly #socket: WebSocket;
  #presence = Promise.withResolvers<number[]>();
  #departure = Promise.withResolvers<void>();
  #questions = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.agent = new Agent({
      spawn: this.spawner.spawn,
      openScreen: (size, options) => this.#open(size, options),
      keep: keepNothing,
      clock: this.clock,
      limits: LIMITS,
      defaults: { command: '/bin/sh', cwd: '/', env: {} },
      send: (frame) => socket.send(frame),
    });
    socket.on('message', (data: Buffer, isBinary) => {
      this.agent.received(isBinary ? new Uint8Array(data) : data.toString());
      if (!isBinary) this.#heard(JSON.parse(data.toString()));
    });
  }

  static async connect(relay: TestRelay): Promise<AgentOnLink> {
    const url = new URL(`/ws/agent/${relay.workspace}`, relay.url);
    url.protocol = 'ws:';
    const socket = new WebSocket(url, [SUBPROTOCOL], { headers: await relay.bearer('agent') });
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const link = new AgentOnLink(socket);
    link.agent.linkOpened();
    await link.clients();
    return link;
  }

  /** Sends something that this agent would not send. */
  says(message: object | Uint8Array): void {
    this.#socket.send(message instanceof Uint8Array ? message : JSON.stringify(message));
  }

  /** The connected clients, once the relay has received everything that the agent has sent. */
  clients(): Promise<number[]> {
    this.#presence = Promise.withResolvers();
    const question = `test-${++this.#questions}`;
    this.#socket.send(JSON.stringify({ type: 'ask_presence', question }));
    return this.#presence.promise;
  }

  /** Resolves once only these clients are connected, and the relay has received the agent's reaction to that. */
  async onlyClients(channels: readonly number[]): Promise<void> {
    for (;;) {
      this.#departure = Promise.withResolvers();
      const others = (await this.clients()).filter((channel) => !channels.includes(channel));
      if (others.length === 0) break;
      await this.#departure.promise;
    }
    await this.clients();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.close(1000);
    await closed;
  }

  #heard(message: { type: string; question?: string; clients?: { channel: number }[] }): void {
    if (message.type === 'client_dropped') this.#departure.resolve();
    if (message.question !== `test-${this.#questions}`) return;
    this.#presence.resolve(message.clients?.map(({ channel }) => channel) ?? []);
  }

  /** Its snapshots are deflated, because the relay inflates them. */
  #open(...[size, options]: Parameters<OpenScreen>): ReturnType<OpenScreen> {
    const screen = this.screens.openScreen(size, options);
    const plain = screen.snapshot.bind(screen);
    screen.snapshot = async (request) => {
      const taken = await plain(request);
      return typeof taken === 'object' ? { ...taken, deflated: deflateRawSync(taken.deflated) } : taken;
    };
    return screen;
  }
}
