/**
 * Agent, relay and clients as they are, without sockets, processes or time of their own: frames lie in queues
 * until the test delivers them, links are cut when it says so, and programs print and read when told to.
 *
 * The relay here is the product's switchboard with the least around it: what it does with a registry does not
 * matter to streams.
 */
import type { WireFrame } from '../../protocol/connection.ts';
import { decodeHeader, stampChannel } from '../../protocol/frame.ts';
import {
  type AgentMessage,
  parseAgentMessage,
  parseClientMessage,
  type RelayMessage,
} from '../../protocol/messages.ts';
import { Agent } from '../../vm-agent/agent.ts';
import { keepNothing } from '../../vm-agent/session-keeper.ts';
import type { AttachedSession, Screen } from '../../web/client/attached-session.ts';
import { WorkspaceClient } from '../../web/client/workspace-client.ts';
import { Switchboard } from '../../worker/switchboard.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakePty } from '../support/fake-pty.ts';
import { FakeScreen } from '../support/fake-screen.ts';
import { FakeNetwork, type SocketPair } from '../support/socket-pair.ts';

/** Small, so that a short story overflows it. */
const HISTORY_BYTES = 64;

/** A screen whose picture is everything that was printed, so that what a client shows can be compared. */
class WholeScreen extends FakeScreen {
  override snapshot() {
    const all = new TextEncoder().encode(this.text);
    const { size } = this;
    return Promise.resolve({
      offset: all.length,
      size,
      title: '',
      cwd: null,
      deflated: all,
      linesAbove: 0,
      bytes: all.length,
      replay: [],
      end: all.length,
    });
  }
}

class Shown implements Screen {
  text = '';
  /** A stalled page parses nothing, and so acknowledges nothing. */
  isStalled = false;
  readonly #unshown: (() => void)[] = [];

  write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.text += new TextDecoder().decode(bytes);
    this.#unshown.push(shown);
    if (!this.isStalled) this.catchesUp();
  }

  catchesUp(): void {
    for (const shown of this.#unshown.splice(0)) shown();
  }

  reset(): void {
    this.text = '';
  }

  resize(): void {}
}

/** One page: its client, the near end of its socket as the relay knows it, and what it shows. */
class ModelClient {
  readonly network = new FakeNetwork();
  readonly screen = new Shown();
  readonly client: WorkspaceClient;
  session: AttachedSession | undefined;
  typed = '';
  /** Frames from the relay that have not arrived. */
  readonly inbound: WireFrame[] = [];
  /** How many of what the client has said the relay has heard. */
  heard = 0;
  pair: SocketPair | undefined;

  constructor(name: string, clock: FakeClock) {
    this.client = new WorkspaceClient({
      dial: this.network.dial,
      inflate: async (bytes) => bytes,
      clock,
      random: () => 0.5,
      watched: () => true,
      instance: name,
    });
  }
}

export class ModelWorld {
  readonly clock = new FakeClock();
  readonly ptys: FakePty[] = [];
  readonly clients: ModelClient[];
  printed = '';
  /** Keys that were typed for a life of the agent that is over. */
  #agent: Agent;
  #board = new Switchboard<ModelClient | 'agent'>();
  #generation = 0;
  #channels = 0;
  /** Frames between agent and relay that have not arrived. */
  #up: WireFrame[] = [];
  #down: WireFrame[] = [];
  #isLinked = false;

  constructor(clients: number) {
    this.#agent = this.#startAgent();
    this.#agent.sessions.create({ size: { cols: 80, rows: 24 } });
    this.clients = Array.from({ length: clients }, (_, i) => new ModelClient(`page-${i}`, this.clock));
  }

  get pty(): FakePty {
    return this.ptys[0] as FakePty;
  }

  get sessionId(): string {
    return this.#agent.sessions.list()[0]?.identity.id ?? '';
  }

  #startAgent(): Agent {
    return new Agent({
      spawn: (spec, events) => {
        const pty = new FakePty(spec, events);
        this.ptys.push(pty);
        return pty;
      },
      openScreen: (size, { events }) => new WholeScreen(size, events),
      keep: keepNothing,
      clock: this.clock,
      limits: {
        historyBytes: HISTORY_BYTES,
        maxSessions: 5,
        whenFull: 'refuse',
        orphanGraceMs: 0,
        idleTimeoutMs: 0,
        exitedKeepMs: 0,
      },
      defaults: { command: 'sh', cwd: '/', env: {} },
      send: (frame) => {
        if (this.#isLinked) this.#up.push(frame);
      },
    });
  }

  // ── What happens ─────────────────────────────────────────────────────────────────────────────────

  prints(text: string): void {
    // A program that must wait prints nothing.
    if (this.pty.paused) return;
    this.printed += text;
    this.pty.prints(text);
  }

  types(index: number, text: string): void {
    const page = this.clients[index];
    if (page?.session?.type(new TextEncoder().encode(text))) page.typed += text;
  }

  linkAgent(): void {
    this.cutAgent();
    this.#isLinked = true;
    this.#board.addAgent('agent', { role: 'agent', generation: ++this.#generation } as never);
    this.#agent.linkOpened();
  }

  /** What was on its way is lost, both ways. */
  cutAgent(): void {
    if (!this.#isLinked) return;
    this.#isLinked = false;
    this.#up = [];
    this.#down = [];
    this.#board.remove('agent');
    this.#agent.linkLost();
    this.#tellAgentState('offline');
  }

  connect(index: number): void {
    const page = this.clients[index];
    if (page === undefined || page.pair !== undefined) return;
    page.client.wake();
    if (page.network.latest.state !== 'dialing') return;
    page.pair = page.network.latest;
    page.heard = 0;
    page.inbound.length = 0;
    this.#board.addClient(page, {
      role: 'operator',
      channel: ++this.#channels,
      generation: 0,
      handles: [],
    } as never);
    page.pair.accept();
    page.inbound.push(this.#agentState(this.#isLinked ? 'online' : 'offline'));
    page.session ??= page.client.attach(this.sessionId, { cols: 80, rows: 24 }, page.screen);
  }

  cut(index: number): void {
    const page = this.clients[index];
    if (page?.pair === undefined) return;
    const peer = this.#board.remove(page);
    const pair = page.pair;
    page.pair = undefined;
    page.inbound.length = 0;
    if (peer !== undefined && 'channel' in peer) {
      this.#toAgent({ type: 'client_dropped', generation: this.#generation, channel: peer.channel });
    }
    if (pair.state === 'open') pair.close(1006);
  }

  /** The object forgets what it had in memory, and remembers what its sockets carry. */
  hibernate(): void {
    const woken = new Switchboard<ModelClient | 'agent'>();
    for (const { socket, peer } of this.#board.clients()) woken.addClient(socket, peer);
    if (this.#isLinked) woken.addAgent('agent', { role: 'agent', generation: this.#generation } as never);
    this.#board = woken;
  }

  // ── Delivery, a frame at a time ──────────────────────────────────────────────────────────────────

  deliverFromAgent(): void {
    const frame = this.#up.shift();
    if (frame === undefined) return;
    if (typeof frame !== 'string') {
      for (const to of this.#board.recipients(decodeHeader(frame)))
        if (to !== 'agent') to.inbound.push(frame);
      return;
    }
    this.#fromAgent(parseAgentMessage(frame));
  }

  deliverToAgent(): void {
    const frame = this.#down.shift();
    if (frame !== undefined) this.#agent.received(frame);
  }

  deliverFromClient(index: number): void {
    const page = this.clients[index];
    const frame = page?.pair?.heard[page.heard];
    if (page === undefined || frame === undefined) return;
    page.heard++;
    const peer = this.#board.peerOf(page);
    if (frame === 'ping') page.inbound.push('pong');
    else if (peer === undefined || peer.role === 'agent' || !this.#isLinked) return;
    else if (typeof frame === 'string') {
      this.#toAgent({
        type: 'from_client',
        channel: peer.channel,
        role: 'operator',
        message: parseClientMessage(frame),
      });
    } else {
      const copy = frame.slice();
      stampChannel(copy, peer.channel);
      this.#down.push(copy);
    }
  }

  deliverToClient(index: number): void {
    const page = this.clients[index];
    const frame = page?.inbound.shift();
    if (frame !== undefined && page?.pair?.state === 'open') page.pair.send(frame);
  }

  /** Promises (snapshots, inflating) are kept between two steps. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
  }

  /** Everything is connected, everything arrives, everybody reads. */
  async heal(rounds = 30): Promise<void> {
    this.linkAgent();
    for (const page of this.clients) page.screen.isStalled = false;
    for (let round = 0; round < rounds; round++) {
      for (const [index, page] of this.clients.entries()) {
        this.connect(index);
        page.screen.catchesUp();
      }
      for (let step = 0; step < 30; step++) {
        this.deliverFromAgent();
        this.deliverToAgent();
        for (const index of this.clients.keys()) {
          this.deliverFromClient(index);
          this.deliverToClient(index);
        }
        await this.settle();
      }
      this.pty.readsInput();
      this.clock.advance(100);
    }
  }

  #fromAgent(message: AgentMessage): void {
    switch (message.type) {
      case 'hello':
        this.#toAgent({ type: 'presence', generation: this.#generation, clients: [] });
        this.#tellAgentState('online');
        return;
      case 'subscribe':
        this.#board.subscribe(message.channel, message.handle);
        return;
      case 'unsubscribe':
        this.#board.unsubscribe(message.channel, message.handle);
        return;
      case 'to_client': {
        const page = this.#board.client(message.channel);
        if (page !== null && page !== 'agent') page.inbound.push(JSON.stringify(message.message));
        return;
      }
      default:
        return;
    }
  }

  #tellAgentState(state: 'online' | 'offline'): void {
    for (const { socket } of this.#board.clients())
      if (socket !== 'agent') socket.inbound.push(this.#agentState(state));
  }

  #agentState(state: 'online' | 'offline'): string {
    const { epoch } = this.#agent.sessions;
    return JSON.stringify({
      type: 'agent_state',
      agent: { state, since: null, lastSeen: null, epoch, generation: this.#generation },
    });
  }

  #toAgent(message: RelayMessage): void {
    if (this.#isLinked) this.#down.push(JSON.stringify(message));
  }
}
