/** An agent on fake shells and screens, and the relay that a test plays for it: no socket, no process, no real time. */
import type { WireFrame } from '../../../protocol/connection.ts';
import { decodeFrame, encodeFrame, type Frame } from '../../../protocol/frame.ts';
import { type AgentMessage, parseAgentMessage } from '../../../protocol/messages/agent-message.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { Theme } from '../../../protocol/messages/message-parts.ts';
import type { ServerMessage } from '../../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { Agent } from '../../../vm-agent/link/agent.ts';
import type { SessionLimits } from '../../../vm-agent/session/manager-options.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type FakePty, fakeSpawner } from '../../support/fake-pty.ts';
import { type FakeScreen, fakeScreens } from '../../support/fake-screen.ts';

export const SIZE = { cols: 80, rows: 24 };
export const HISTORY_BYTES = 1000;
const LIMITS = {
  historyBytes: HISTORY_BYTES,
  maxSessions: 2,
  whenFull: 'refuse',
  orphanGraceMs: 0,
  idleTimeoutMs: 0,
  exitedKeepMs: 600_000,
} as const;

/** Plays the relay: forwards requests of clients and reads what the agent sends on the link. */
export class ScriptedRelay {
  readonly #limits: Partial<SessionLimits>;
  readonly #trouble: string | null;

  constructor(limits: Partial<SessionLimits> = {}, trouble: string | null = null) {
    this.#limits = limits;
    this.#trouble = trouble;
    this.agent = this.#start();
  }

  readonly clock = new FakeClock();
  readonly spawner = fakeSpawner();
  readonly screens = fakeScreens();
  readonly sent: (AgentMessage | Frame)[] = [];
  readonly agent: Agent;

  #start(): Agent {
    return new Agent({
      spawn: this.spawner.spawn,
      openScreen: this.screens.openScreen,
      keep: keepNothing,
      clock: this.clock,
      trouble: this.#trouble,
      limits: { ...LIMITS, ...this.#limits },
      defaults: { command: '/bin/sh', cwd: '/', env: { TERM: 'xterm-256color' } },
      send: (frame) => this.sent.push(read(frame)),
    });
  }

  asks(channel: number, message: ClientMessage, role: ClientRole = 'operator'): void {
    this.agent.received(JSON.stringify({ type: 'from_client', channel, role, message }));
  }

  /** The newest shell. */
  get pty(): FakePty {
    const pty = this.spawner.ptys.at(-1);
    if (pty === undefined) throw new Error('nothing was spawned');
    return pty;
  }

  get screen(): FakeScreen {
    const screen = this.screens.screens.at(-1);
    if (screen === undefined) throw new Error('no screen was opened');
    return screen;
  }

  /** What clients were sent, in order, without frames and bookkeeping. */
  get told(): ServerMessage[] {
    return this.sent.flatMap((item) =>
      'type' in item && (item.type === 'to_client' || item.type === 'to_clients') ? [item.message] : [],
    );
  }

  last<T extends ServerMessage['type']>(type: T): Extract<ServerMessage, { type: T }> {
    const found = this.told.findLast((message) => message.type === type);
    if (found === undefined) throw new Error(`${type} was not sent`);
    return found as Extract<ServerMessage, { type: T }>;
  }

  creates(): string {
    this.asks(1, { type: 'create_session', request: 'c', ...SIZE });
    return this.last('session_created').session.id;
  }

  attaches(
    channel: number,
    session: string,
    more: {
      from?: number;
      instance?: string;
      role?: ClientRole;
      epoch?: string;
      typed?: number;
      cols?: number;
      rows?: number;
      hidden?: boolean;
      describe?: boolean;
      history?: 'none' | 'later';
      theme?: Theme;
    } = {},
  ): number {
    const { role = 'operator', instance = `instance-${channel}`, ...rest } = more;
    this.asks(
      channel,
      { type: 'reattach_session', request: 'r', session, instance, exited: 'read', ...SIZE, ...rest },
      role,
    );
    return this.last('session_reattached').handle;
  }

  types(channel: number, handle: number, offset: number, text: string): void {
    this.agent.received(
      encodeFrame({ kind: 'input', channel, handle, offset }, new TextEncoder().encode(text)),
    );
  }

  acknowledges(channel: number, handle: number, offset: number): void {
    this.agent.received(encodeFrame({ kind: 'ack', channel, handle, offset }));
  }

  /** Lets pending promises continue. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }

  /** Forgets what was sent so far. */
  clear(): void {
    this.sent.length = 0;
  }

  /** Kinds and texts of what was sent, to check the order; with the driver next to it. */
  get story(): string[] {
    return this.sent.flatMap((item) => {
      if ('type' in item && item.type === 'to_client' && item.message.type === 'session_driver') return [];
      if ('payload' in item)
        return `${item.kind} ${item.channel} @${item.offset} ${new TextDecoder().decode(item.payload)}`;
      return item.type === 'to_client' || item.type === 'to_clients'
        ? `${item.type} ${item.message.type}`
        : item.type;
    });
  }
}

function read(frame: WireFrame): AgentMessage | Frame {
  return typeof frame === 'string' ? parseAgentMessage(frame) : decodeFrame(frame);
}
