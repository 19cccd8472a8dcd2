/**
 * A fake relay for tests about data in transit. It keeps every frame for a client until the client reads it, as the
 * real one does for a socket that is not read, and counts the bytes. The clients behave like the page: they acknowledge
 * what they show, and silently drop what was sent before they attached again or hid the session.
 */

import type { WireFrame } from '../../protocol/connection.ts';
import { decodeFrame, encodeFrame, type Frame } from '../../protocol/frame.ts';
import { parseAgentMessage } from '../../protocol/messages/agent-message.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import { keepNothing } from '../../vm-agent/disk/session-storage.ts';
import { Agent } from '../../vm-agent/link/agent.ts';
import { FakeClock } from './fake-clock.ts';
import { fakeSpawner } from './fake-pty.ts';
import { fakeScreens } from './fake-screen.ts';

const SIZE = { cols: 80, rows: 24 };

/** One session as a client has it. */
interface Shown {
  /** The offset up to which output is on the screen; undefined before the first replay. */
  next: number | undefined;
  isListening: boolean;
  request: string;
}

export class UnreadClient {
  readonly channel: number;
  readonly role: ClientRole;
  readonly #relay: UnreadRelay;
  readonly subscribed = new Set<number>();
  /** Whether the client acknowledges snapshots, as the newest page does and the version before did not. */
  readonly acknowledgesSnapshots: boolean;
  readonly #shown = new Map<string, Shown>();
  readonly #unread: (Frame | ServerMessage)[] = [];
  readonly refusals: string[] = [];
  /** The snapshot whose frames are arriving, if it is to be acknowledged. */
  #snapshot: Extract<ServerMessage, { type: 'scrollback' | 'snapshot_taken' }> | undefined;
  unreadBytes = 0;
  mostUnreadBytes = 0;
  #requests = 0;

  constructor(relay: UnreadRelay, channel: number, role: ClientRole, acknowledgesSnapshots: boolean) {
    this.#relay = relay;
    this.channel = channel;
    this.role = role;
    this.acknowledgesSnapshots = acknowledgesSnapshots;
  }

  ask(message: ClientMessage): void {
    const { channel, role } = this;
    this.#relay.agent.received(JSON.stringify({ type: 'from_client', channel, role, message }));
  }

  /** `from`: the offset to begin at, whatever the client has; null for a client that has nothing. */
  attach(
    session: string,
    from?: number | null,
    more: { hidden?: boolean; history?: 'none' | 'later' } = {},
  ): void {
    const shown = this.#shown.get(session) ?? { next: undefined, isListening: false, request: '' };
    this.#shown.set(session, shown);
    shown.isListening = false;
    shown.request = `${++this.#requests}`;
    const start = from === undefined ? shown.next : (from ?? undefined);
    this.ask({
      type: 'reattach_session',
      request: shown.request,
      session,
      instance: `instance-${this.channel}`,
      exited: 'read',
      ...(start === undefined ? {} : { from: start }),
      ...more,
    });
  }

  hide(session: string): void {
    const shown = this.#shown.get(session);
    if (shown !== undefined) shown.isListening = false;
    this.ask({ type: 'hide_session', session });
  }

  detach(session: string): void {
    this.#shown.delete(session);
    this.ask({ type: 'detach_session', session });
  }

  next(session: string): number | undefined {
    return this.#shown.get(session)?.next;
  }

  arrives(item: Frame | ServerMessage): void {
    this.#unread.push(item);
    this.unreadBytes += sizeOf(item);
    this.mostUnreadBytes = Math.max(this.mostUnreadBytes, this.unreadBytes);
  }

  /** Reads up to `count` of the arrived items, and sends the acknowledgements due. */
  read(count = Number.POSITIVE_INFINITY): void {
    for (const item of this.#unread.splice(0, count)) {
      this.unreadBytes -= sizeOf(item);
      if ('type' in item) this.#message(item);
      else this.#frame(item);
    }
  }

  #message(message: ServerMessage): void {
    if (message.type === 'error') this.refusals.push(message.code);
    if (message.type === 'session_reattached') {
      const shown = this.#shown.get(message.session.id);
      if (shown?.request === message.request) shown.isListening = true;
    }
    if (message.type === 'snapshot_taken' || message.type === 'scrollback') this.#snapshot = undefined;
    if (message.type === 'snapshot_taken' && this.acknowledgesSnapshots) this.#snapshot = message;
    if (message.type !== 'scrollback') return;
    const shown = this.#shown.get(message.session);
    if (shown?.isListening !== true) return;
    shown.next = message.from;
    // Output that follows a snapshot is acknowledged, and the snapshot with it.
    if (this.acknowledgesSnapshots && message.from === message.to) this.#snapshot = message;
  }

  #frame({ kind, handle, offset, payload, wantsAck }: Frame): void {
    if (kind === 'snapshot' && handle === this.#snapshot?.handle) {
      const { bytes } = this.#snapshot;
      const at = 'from' in this.#snapshot ? this.#snapshot.from : this.#snapshot.offset;
      if (offset + payload.length === bytes) this.#acknowledge(handle, at);
    }
    const session = this.#relay.sessionOf(handle);
    const shown = this.#shown.get(session);
    if (kind !== 'output' || shown?.next === undefined || !shown.isListening) return;
    if (offset > shown.next) throw new Error(`a hole before ${offset}: it has ${shown.next}`);
    if (offset + payload.length <= shown.next) return;
    shown.next = offset + payload.length;
    if (wantsAck === true || this.#unread.length === 0) this.#acknowledge(handle, shown.next);
  }

  #acknowledge(handle: number, offset: number): void {
    this.#relay.acknowledge(this, handle, offset);
  }
}

/** The size of output and snapshots. Other messages are bounded by how often they are requested. */
function sizeOf(item: Frame | ServerMessage): number {
  return 'type' in item || item.kind === 'resize' || item.kind === 'ack' ? 0 : item.payload.length;
}

export class UnreadRelay {
  readonly clock = new FakeClock();
  readonly spawner = fakeSpawner();
  readonly screens = fakeScreens();
  readonly agent: Agent;
  readonly #clients = new Map<number, UnreadClient>();

  constructor(historyBytes = 256 * 1024) {
    this.agent = new Agent({
      spawn: this.spawner.spawn,
      openScreen: this.screens.openScreen,
      keep: keepNothing,
      clock: this.clock,
      limits: {
        historyBytes,
        maxSessions: 64,
        whenFull: 'refuse',
        orphanGraceMs: 0,
        idleTimeoutMs: 0,
        exitedKeepMs: 0,
      },
      defaults: { command: '/bin/sh', cwd: '/', env: {} },
      send: (frame) => this.#hear(frame),
    });
    this.agent.linkOpened();
  }

  connect(channel: number, role: ClientRole, acknowledgesSnapshots = true): UnreadClient {
    const client = new UnreadClient(this, channel, role, acknowledgesSnapshots);
    this.#clients.set(channel, client);
    return client;
  }

  leave({ channel }: UnreadClient): void {
    this.#clients.delete(channel);
    this.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel }));
  }

  create(): string {
    return this.agent.sessions.create({ size: SIZE }).identity.id;
  }

  /** Prints in frames as large as those of a program that floods. */
  print(index: number, bytes: number): void {
    this.spawner.ptys[index]?.prints('x'.repeat(bytes));
    this.clock.advance(5);
  }

  sessionOf(handle: number): string {
    return this.agent.sessions.findByHandle(handle)?.identity.id ?? '';
  }

  end(session: string): number {
    return this.agent.sessions.find(session).end;
  }

  acknowledge({ channel }: UnreadClient, handle: number, offset: number): void {
    this.agent.received(encodeFrame({ kind: 'ack', channel, handle, offset }));
  }

  /** Lets pending promises resolve. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 6; turn++) await Promise.resolve();
  }

  #hear(frame: WireFrame): void {
    if (typeof frame !== 'string') return this.#forward(decodeFrame(frame));
    const message = parseAgentMessage(frame);
    if (message.type === 'subscribe') this.#clients.get(message.channel)?.subscribed.add(message.handle);
    if (message.type === 'unsubscribe') this.#clients.get(message.channel)?.subscribed.delete(message.handle);
    if (message.type === 'to_client') this.#clients.get(message.channel)?.arrives(message.message);
  }

  #forward(frame: Frame): void {
    for (const client of this.#clients.values())
      if (frame.channel === client.channel || (frame.channel === 0 && client.subscribed.has(frame.handle)))
        client.arrives(frame);
  }
}
