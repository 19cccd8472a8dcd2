/** The agent against a scripted relay: no socket, no process, no real time. */
import { describe, expect, it } from 'vitest';
import type { WireFrame } from '../../../protocol/connection.ts';
import { decodeFrame, encodeFrame, type Frame } from '../../../protocol/frame.ts';
import { AGENT_CONTROL_MAX_BYTES, PAYLOAD_MAX_BYTES } from '../../../protocol/limits.ts';
import { type AgentMessage, parseAgentMessage } from '../../../protocol/messages/agent-message.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { Theme } from '../../../protocol/messages/message-parts.ts';
import type { ServerMessage } from '../../../protocol/messages/server-message.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { Agent } from '../../../vm-agent/link/agent.ts';
import { INPUT_ACK_WAIT_MS } from '../../../vm-agent/link/input-acks.ts';
import { WINDOW_FIRST_BYTES } from '../../../vm-agent/output/credit-window.ts';
import { STALLED_AFTER_MS } from '../../../vm-agent/output/delivery-state.ts';
import { EARLY_MAX_FRAMES } from '../../../vm-agent/output/output-batcher.ts';
import { STEP_MS } from '../../../vm-agent/pty/terminate.ts';
import type { SessionLimits } from '../../../vm-agent/session/session-manager.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { type FakePty, fakeSpawner } from '../../support/fake-pty.ts';
import { type FakeScreen, fakeScreens } from '../../support/fake-screen.ts';

const SIZE = { cols: 80, rows: 24 };
const HISTORY_BYTES = 1000;
const LIMITS = {
  historyBytes: HISTORY_BYTES,
  maxSessions: 2,
  whenFull: 'refuse',
  orphanGraceMs: 0,
  idleTimeoutMs: 0,
  exitedKeepMs: 600_000,
} as const;

/** Plays the relay: forwards requests of clients and reads what the agent sends on the link. */
class ScriptedRelay {
  readonly #limits: Partial<SessionLimits>;

  constructor(limits: Partial<SessionLimits> = {}) {
    this.#limits = limits;
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

describe('the link', () => {
  it('[RL10] ignores messages of the relay to an earlier generation, and starts over with a new link', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    const id = relay.creates();
    relay.attaches(1, id);
    const tell = (message: object) => relay.agent.received(JSON.stringify(message));
    const viewers = () => relay.agent.sessions.find(id).viewers;
    tell({ type: 'presence', generation: 5, clients: [{ channel: 1, role: 'operator' }] });
    tell({ type: 'client_dropped', generation: 4, channel: 1 });
    expect(viewers()).toBe(1);
    tell({ type: 'client_dropped', generation: 5, channel: 1 });
    expect(viewers()).toBe(0);

    // A relay whose storage was lost counts from one again.
    relay.agent.linkOpened();
    relay.attaches(2, id);
    tell({ type: 'client_dropped', generation: 1, channel: 2 });
    expect(viewers()).toBe(0);
  });

  it('[RL9] asks which clients are connected if one has not acknowledged for a while', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    const handle = relay.attaches(1, relay.creates(), { from: 0 });
    relay.pty.prints('seen');
    relay.acknowledges(1, handle, 4);
    relay.clock.advance(60_000);
    relay.clear();
    relay.pty.prints('unseen');
    relay.clock.advance(60_000);
    expect(relay.sent.filter((item) => 'type' in item && item.type === 'ask_presence')).toHaveLength(1);
  });

  it('[AG1] starts with its identity and its sessions, whoever was attached before', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    expect(relay.sent).toEqual([
      {
        type: 'hello',
        version: 1,
        epoch: relay.agent.sessions.epoch,
        sessions: [],
        more: false,
        answersReadChecks: true,
      },
    ]);
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.agent.linkOpened();
    expect(relay.sent).toMatchObject([{ type: 'hello', sessions: [{ id, status: 'running', attached: 0 }] }]);
  });

  it('[AG1] lists its sessions in pages that each fit into a message, however long the names', () => {
    const relay = new ScriptedRelay({ maxSessions: 200 });
    for (let i = 0; i < 200; i++) {
      relay.asks(1, {
        type: 'create_session',
        request: 'c',
        name: '"'.repeat(256),
        key: `${i}${'"'.repeat(250)}`,
        ...SIZE,
      });
    }
    relay.clear();
    relay.agent.linkOpened();
    const pages = relay.sent as { sessions: unknown[]; more: boolean }[];
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flatMap(({ sessions }) => sessions)).toHaveLength(200);
    expect(pages.map(({ more }) => more)).toEqual(pages.map((_, i) => i + 1 < pages.length));
    for (const page of pages) expect(JSON.stringify(page).length).toBeLessThan(AGENT_CONTROL_MAX_BYTES);
  });

  it('[AG1] [IN5] forgets the attachments of the previous link, and drops their late input', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.agent.linkOpened();
    relay.clear();
    relay.types(1, handle, 0, 'rm -rf /\n');
    relay.pty.prints('nobody gets this live');
    expect(relay.pty.typed).toBe('');
    expect(relay.sent).toEqual([]);
  });
});

describe('output', () => {
  it('[OU1] a client with part of the output gets exactly the rest, then live output, in one ordered stream', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('before ');
    relay.clear();
    relay.attaches(1, id, { from: 2 });
    relay.pty.prints('after');
    expect(relay.story).toEqual([
      'unsubscribe',
      'session_changed',
      'to_client session_reattached',
      'to_client scrollback',
      'output 1 @2 fore ',
      'subscribe',
      'output 0 @7 after',
    ]);
    expect(relay.last('scrollback')).toMatchObject({
      kind: 'delta',
      from: 2,
      to: 7,
      lost: 0,
      bytes: 0,
      ...SIZE,
    });
  });

  it('[OU8] a new client gets the screen, what followed it, then live output', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.isPrompt = false;
    relay.screen.behind = 4;
    relay.pty.prints('parsed late');
    relay.clear();
    relay.attaches(1, id);
    relay.pty.prints(' more');
    relay.screen.behind += 5;
    await relay.screen.takes();
    await relay.settled();
    relay.pty.prints(' live');
    expect(relay.story).toEqual([
      'unsubscribe',
      'session_changed',
      'to_client session_reattached',
      'to_client scrollback',
      'snapshot 1 @0 screen@7',
      'output 1 @7 late more',
      'subscribe',
      'output 0 @16  live',
    ]);
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: 7, to: 16, lost: 0, bytes: 8 });
  });

  it('[OU8] output between a snapshot and its delivery follows it, once', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('first');
    relay.clear();
    relay.attaches(1, id);
    relay.pty.prints(' second');
    await relay.settled();
    expect(relay.story.filter((line) => /^(snapshot|output) 1/.test(line))).toEqual([
      'snapshot 1 @0 screen@5',
      'output 1 @5  second',
    ]);
    expect(relay.last('scrollback')).toMatchObject({ from: 5, to: 12 });
  });

  it('[OU3] [OU8] a client that was away too long gets the screen, and the exact number of bytes it misses', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('x'.repeat(1500));
    relay.attaches(1, id, { from: 100 });
    await relay.settled();
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: 1500, to: 1500, lost: 1400 });
  });

  it('[OU8] a client from another life of the agent gets the screen, not bytes with the same offsets', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('0123456789');
    relay.attaches(1, id, { from: 4, epoch: 'another' });
    await relay.settled();
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: 10, lost: 0 });
  });

  it('[OU8] a client that left or reattached before the screen was taken gets none', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('abc');
    relay.screen.isPrompt = false;
    relay.attaches(1, id);
    const first = relay.screen.takes.bind(relay.screen);
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    await first();
    relay.attaches(2, id);
    relay.attaches(2, id, { from: 3 });
    await relay.screen.takes();
    await relay.settled();
    expect(relay.told.filter(({ type }) => type === 'scrollback')).toHaveLength(1);
    expect(relay.last('scrollback').kind).toBe('delta');
  });

  it.each(['isLost', 'isTooLarge'] as const)(
    '[OU8] if a screen %s, the bytes are sent instead',
    async (what) => {
      const relay = new ScriptedRelay();
      const id = relay.creates();
      relay.pty.prints('y'.repeat(1500));
      relay.screen[what] = true;
      relay.attaches(1, id, { from: 100 });
      await relay.settled();
      expect(relay.last('scrollback')).toMatchObject({ kind: 'delta', from: 500, to: 1500, lost: 400 });
    },
  );

  it('[OU7] a replay repeats resizes where they happened', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('wide');
    relay.asks(1, { type: 'resize', session: id, cols: 40, rows: 10 });
    relay.pty.prints('narrow');
    relay.clear();
    relay.attaches(2, id, { from: 1 });
    expect(relay.last('scrollback')).toMatchObject({ from: 1, ...SIZE });
    const frames = relay.sent.flatMap((item) =>
      'payload' in item ? [[item.kind, item.offset, item.payload.length]] : [],
    );
    expect(frames).toEqual([
      ['output', 1, 3],
      ['resize', 4, 4],
      ['output', 4, 6],
    ]);
  });

  it('[P13] [OU11] the client that typed last drives: others attach and resize without effect, until they type or take over', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0, cols: 100, rows: 30 });
    expect(relay.pty.size).toEqual({ cols: 100, rows: 30 });
    relay.attaches(2, id, { from: 0, cols: 40, rows: 10 });
    relay.asks(2, { type: 'resize', session: id, cols: 41, rows: 11 });
    expect(relay.pty.size).toEqual({ cols: 100, rows: 30 });
    expect(relay.last('session_driver').yours).toBe(false);

    relay.clear();
    relay.types(2, handle, 0, 'x');
    expect(relay.pty.size).toEqual({ cols: 41, rows: 11 });
    const told = relay.sent.flatMap((item) =>
      'type' in item && item.type === 'to_client' && item.message.type === 'session_driver'
        ? [[item.channel, item.message.yours]]
        : [],
    );
    expect(told).toEqual([
      [1, false],
      [2, true],
    ]);

    relay.attaches(3, id, { from: 0, cols: 30, rows: 9 });
    relay.asks(1, { type: 'resize', session: id, cols: 120, rows: 40, takeOver: true });
    expect(relay.pty.size).toEqual({ cols: 120, rows: 40 });
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    relay.asks(2, { type: 'resize', session: id, cols: 42, rows: 12 });
    expect(relay.pty.size, 'the size stays when the driver leaves two others').toEqual({
      cols: 120,
      rows: 40,
    });
  });

  describe('[U2] [P13] [OU11] while the driver is away', () => {
    const BIG = { cols: 100, rows: 30 };
    const SMALL = { cols: 40, rows: 10 };

    /** A desktop, and a phone that has taken over its size. */
    const desktopAndPhone = (): { relay: ScriptedRelay; id: string; handle: number } => {
      const relay = new ScriptedRelay();
      const id = relay.creates();
      const handle = relay.attaches(1, id, { from: 0, ...BIG });
      relay.attaches(2, id, { from: 0, ...SMALL });
      relay.types(2, handle, 0, 'x');
      expect(relay.pty.size).toEqual(SMALL);
      relay.clear();
      return { relay, id, handle };
    };
    const drops = (relay: ScriptedRelay, channel: number) =>
      relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel }));

    it('the only visible window drives, and is told so', () => {
      const { relay } = desktopAndPhone();
      drops(relay, 2);
      expect(relay.pty.size).toEqual(BIG);
      expect(relay.last('session_driver').yours).toBe(true);
    });

    it('the same holds for a driver that is hidden; shown again, it drives as before', () => {
      const { relay, id } = desktopAndPhone();
      relay.asks(2, { type: 'hide_session', session: id });
      expect(relay.pty.size).toEqual(BIG);
      relay.attaches(2, id, { from: 0, hidden: true, ...SMALL });
      expect(relay.pty.size).toEqual(BIG);
      relay.attaches(2, id, { from: 0, ...SMALL });
      expect(relay.pty.size).toEqual(SMALL);
    });

    it('a hidden window or a viewer does not drive, and does not count', () => {
      const { relay, id } = desktopAndPhone();
      relay.attaches(3, id, { from: 0, hidden: true, cols: 20, rows: 5 });
      relay.attaches(4, id, { from: 0, role: 'viewer', cols: 9, rows: 9 });
      drops(relay, 2);
      expect(relay.pty.size).toEqual(BIG);
      drops(relay, 1);
      expect(relay.pty.size).toEqual(BIG);
    });

    it('nobody drives until a client attaches on a new link, and then the one that typed last drives again', () => {
      const { relay, id, handle } = desktopAndPhone();
      relay.types(1, handle, 0, 'y');
      relay.agent.linkOpened();
      expect(relay.pty.size).toEqual(BIG);
      relay.attaches(12, id, { from: 0, instance: 'instance-2', ...SMALL });
      relay.attaches(11, id, { from: 0, instance: 'instance-1', ...BIG });
      expect(relay.pty.size).toEqual(BIG);
    });
  });

  it('[OU1] bytes that are still being joined into a frame are in the replay, not sent again after it', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('x'.repeat(5000));
    relay.clear();
    relay.attaches(2, id, { from: 5000 - HISTORY_BYTES });
    relay.clock.advance(100);
    const offsets = relay.sent.flatMap((item) =>
      'payload' in item ? [[item.channel, item.offset, item.payload.length]] : [],
    );
    expect(offsets).toEqual([
      [0, 0, 5000],
      [2, 4000, 1000],
    ]);
  });

  it('[OU9] a flood is split into quarters of the window, [WF5] a long replay into frames of the allowed size', () => {
    const relay = new ScriptedRelay({ historyBytes: 1_000_000 });
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.pty.prints('y'.repeat(2 * PAYLOAD_MAX_BYTES + 5));
    relay.clock.advance(100);
    const sizes = relay.sent.flatMap((item) => ('payload' in item ? [item.payload.length] : []));
    expect(Math.max(...sizes), 'a quarter of the window').toBe(WINDOW_FIRST_BYTES / 4);
    relay.clear();
    relay.attaches(2, id, { from: 5 });
    expect(relay.sent.flatMap((item) => ('payload' in item ? [item.payload.length] : []))).toEqual([
      PAYLOAD_MAX_BYTES,
      PAYLOAD_MAX_BYTES,
    ]);
  });

  it('[P4] output is kept while nobody is attached, and sent to nobody', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.clear();
    relay.pty.prints('alone');
    expect(relay.sent).toEqual([]);
    relay.attaches(1, id, { from: 0 });
    expect(relay.story).toContain('output 1 @0 alone');
  });

  it('[OU5] a program waits while even its fastest client has no credit, and continues when one has', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    relay.acknowledges(1, handle, 1000);
    expect(relay.pty.paused).toBe(false);
  });

  it('[OU5] a program never waits without clients, also when the last client leaves while it was waiting', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    expect(relay.pty.paused).toBe(false);
    relay.pty.prints('z'.repeat(30 * WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(false);
  });

  it('[OU5] a program that waits is let go on when it is closed, and waits again when it prints', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.ignores = ['SIGHUP'];
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    relay.asks(1, { type: 'close_session', request: 'x', session: id });
    expect(relay.pty.paused, 'its end comes after everything it has printed').toBe(false);
    relay.pty.prints('more');
    expect(relay.pty.paused).toBe(true);
  });

  it('[OU9] a flood in one session leaves room for the echo in another', () => {
    const relay = new ScriptedRelay();
    const flooded = relay.creates();
    relay.attaches(1, flooded, { from: 0 });
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    const calm = relay.creates();
    relay.attaches(1, calm, { from: 0 });
    relay.pty.prints('echo');
    expect(relay.pty.paused).toBe(false);
    expect(relay.story.at(-1)).toBe('output 0 @0 echo');
  });

  it('[OU10] a client that falls behind the fastest gets no more output, and is later brought back with what it missed', () => {
    const relay = new ScriptedRelay({ historyBytes: 1_000_000 });
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.attaches(2, id, { from: 0 });
    relay.pty.prints('a'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    relay.clear();
    relay.acknowledges(1, handle, WINDOW_FIRST_BYTES);
    expect(relay.pty.paused).toBe(false);
    relay.pty.prints('b'.repeat(10));
    expect(relay.sent[0], 'before what it has no room for').toEqual({
      type: 'unsubscribe',
      channel: 2,
      handle,
    });
    relay.clear();
    relay.acknowledges(2, handle, WINDOW_FIRST_BYTES);
    expect(relay.story).toEqual([
      'to_client scrollback',
      `output 2 @${WINDOW_FIRST_BYTES} bbbbbbbbbb`,
      'subscribe',
    ]);
    expect(relay.last('scrollback')).toMatchObject({ kind: 'delta', from: WINDOW_FIRST_BYTES, lost: 0 });
  });

  it('[OU10] or with the current screen, and the number of bytes it missed', async () => {
    const relay = new ScriptedRelay({ historyBytes: 1_000_000 });
    const id = relay.creates();
    const handle = relay.attaches(1, id, { role: 'viewer', from: 0 });
    relay.pty.prints('a'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    relay.pty.prints('b'.repeat(100_000));
    relay.clock.advance(4);
    expect(relay.pty.paused, 'a viewer sets no pace').toBe(false);
    relay.clear();
    relay.acknowledges(1, handle, WINDOW_FIRST_BYTES);
    await relay.settled();
    expect(relay.last('scrollback')).toMatchObject({
      kind: 'snapshot',
      from: WINDOW_FIRST_BYTES + 100_000,
      lost: 100_000,
    });
  });

  it('[OU10] a screen that is far behind is still sent, a window at a time, until little is left', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const printed = 5 * WINDOW_FIRST_BYTES;
    relay.pty.prints('x'.repeat(printed));
    relay.screen.behind = printed;
    const handle = relay.attaches(1, id);
    await relay.settled();
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: 0, to: WINDOW_FIRST_BYTES });
    expect(relay.story).not.toContain('subscribe');
    relay.pty.prints('not for who is still behind');

    relay.screen.behind = 10;
    relay.clear();
    relay.acknowledges(1, handle, WINDOW_FIRST_BYTES);
    await relay.settled();
    const end = printed + 'not for who is still behind'.length;
    const lost = end - 10 - WINDOW_FIRST_BYTES;
    expect(relay.last('scrollback')).toMatchObject({ kind: 'snapshot', from: end - 10, to: end, lost });
    expect(relay.story).toContain('subscribe');
  });

  it('[OU5] a stalled client that is the only one does not stop the program for long', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.pty.prints('z'.repeat(WINDOW_FIRST_BYTES));
    relay.clock.advance(4);
    expect(relay.pty.paused).toBe(true);
    relay.clear();
    relay.clock.advance(STALLED_AFTER_MS);
    expect(relay.pty.paused).toBe(false);
    relay.pty.prints('more');
    expect(relay.sent).toEqual([{ type: 'unsubscribe', channel: 1, handle }]);
  });

  it('[OU13] a client that has hidden a session is told once about output, and once about the bell', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.asks(1, { type: 'hide_session', session: id });
    expect(relay.sent).toEqual([{ type: 'unsubscribe', channel: 1, handle }]);
    expect(relay.screen.watched).toBe(false);
    relay.clear();
    relay.pty.prints('one');
    relay.pty.prints('two');
    relay.screen.events.bell();
    relay.screen.events.bell();
    const mark = (bell: boolean) => ({ type: 'session_activity', session: id, bell });
    expect(relay.told).toEqual([mark(false), mark(true)]);
    expect(relay.agent.sessions.find(id).info.attached).toBe(1);
    relay.clear();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('three');
    expect(relay.story).toEqual([
      'unsubscribe',
      'session_changed',
      'to_client session_reattached',
      'to_client scrollback',
      'output 1 @0 onetwo',
      'subscribe',
      'output 0 @6 three',
    ]);
  });

  it('[OU13] a client that attaches hidden gets no replay, and nobody waits for it', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('before');
    relay.clear();
    relay.attaches(1, id, { from: 0, hidden: true });
    relay.pty.prints('x'.repeat(3 * WINDOW_FIRST_BYTES));
    expect(relay.story.filter((line) => line.startsWith('output'))).toEqual([]);
    expect(relay.pty.paused).toBe(false);
  });

  it('[OU13] a screen that was requested before hiding is not sent after it', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.isPrompt = false;
    relay.attaches(1, id);
    relay.asks(1, { type: 'hide_session', session: id });
    relay.clear();
    await relay.screen.takes();
    await relay.settled();
    expect(relay.sent).toEqual([]);
  });

  it('[OU11] [OU13] a client that attaches while the others are hidden drives, and they do not limit its size', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0, cols: 40, rows: 10 });
    relay.asks(1, { type: 'hide_session', session: id });
    relay.attaches(2, id, { from: 0, cols: 120, rows: 40 });
    expect(relay.pty.size).toEqual({ cols: 120, rows: 40 });
    relay.attaches(1, id, { from: 0, cols: 40, rows: 10 });
    expect(relay.pty.size).toEqual({ cols: 120, rows: 40 });
  });

  it('[OU15] a long history follows the screen, with what was printed since, and live output continues', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.historyLines = 5000;
    relay.pty.prints('abc');
    relay.clear();
    relay.attaches(1, id, { history: 'later' });
    await relay.settled();
    relay.screen.isPrompt = false;
    const first = relay.told.flatMap((message) => (message.type === 'scrollback' ? [message] : []));
    expect(first).toMatchObject([
      { kind: 'snapshot', from: 3 },
      { history: true, from: 3, to: 3, lost: 0 },
    ]);
    expect(relay.story.filter((line) => /snapshot|subscribe$/.test(line))).toEqual([
      'unsubscribe',
      'snapshot 1 @0 screen@3',
      'subscribe',
      'snapshot 1 @0 history and screen@3',
    ]);
    relay.clear();
    relay.pty.prints('def');
    expect(relay.story).toEqual(['output 0 @3 def']);
  });

  it('[OU15] a client that is behind gets its history only after it has caught up', async () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.historyLines = 5000;
    relay.screen.behind = 0;
    const flood = 'x'.repeat(WINDOW_FIRST_BYTES);
    relay.pty.prints(flood);
    relay.screen.behind = WINDOW_FIRST_BYTES;
    const handle = relay.attaches(1, id, { history: 'later' });
    await relay.settled();
    const histories = () => relay.told.filter((message) => message.type === 'scrollback' && message.history);
    expect(histories()).toEqual([]);
    relay.clock.advance(1_500);
    await relay.settled();
    expect(histories()).toEqual([]);
    relay.acknowledges(1, handle, WINDOW_FIRST_BYTES);
    relay.screen.behind = 0;
    relay.clock.advance(1_000);
    await relay.settled();
    expect(histories()).toHaveLength(1);
  });

  it('[P5] the exit is reported after all output, with its code and the final offset', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.pty.prints('x'.repeat(4096));
    relay.pty.exits({ code: 3 });
    expect(relay.story.map((line) => line.slice(0, 25))).toEqual([
      'output 0 @0 xxxxxxxxxxxxx',
      'session_changed',
      'to_clients session_exited',
    ]);
    expect(relay.last('session_exited')).toMatchObject({
      session: id,
      exitCode: 3,
      signal: null,
      offset: 4096,
    });
  });

  it('[P5] a client that attaches afterwards is told about the exit too, after the replay', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('bye');
    relay.pty.exits({ signal: 'SIGKILL', code: null });
    relay.clear();
    relay.attaches(1, id, { from: 0 });
    expect(relay.story.slice(-3)).toEqual(['output 1 @0 bye', 'subscribe', 'to_client session_exited']);
    expect(relay.last('session_exited')).toMatchObject({ exitCode: null, signal: 'SIGKILL', offset: 3 });
  });

  it('[AG7] attaching to a session whose program has ended is an error, unless it is only read', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('bye');
    relay.pty.exits();
    const ask = { type: 'reattach_session', request: 'r', session: id, instance: 'i', ...SIZE } as const;
    relay.asks(1, ask);
    expect(relay.told.at(-1)).toMatchObject({ type: 'error', code: 'session_exited', request: 'r' });
    expect(relay.agent.sessions.find(id).viewers).toBe(0);
    relay.asks(1, { ...ask, exited: 'read', from: 0 });
    expect(relay.last('scrollback')).toMatchObject({ from: 0, to: 3 });
  });

  it('a resize is an event at an offset, after the bytes printed before it', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id, { from: 0 });
    relay.pty.prints('w'.repeat(4096));
    relay.clear();
    relay.asks(1, { type: 'resize', session: id, cols: 100, rows: 30 });
    expect(relay.pty.size).toMatchObject({ cols: 100, rows: 30 });
    expect(relay.sent.map((item) => ('payload' in item ? [item.kind, item.offset] : item.type))).toEqual([
      ['output', 0],
      ['resize', 4096],
    ]);
    relay.attaches(2, id, { from: 4096 });
    expect(relay.last('scrollback')).toMatchObject({ type: 'scrollback', cols: 100, rows: 30 });
  });
});

describe('the screen', () => {
  it('[R1] [P4] mirrors everything, attached or not, with resizes in their place', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('one ');
    relay.attaches(1, id);
    relay.asks(1, { type: 'resize', session: id, cols: 100, rows: 30 });
    relay.pty.prints('two');
    expect(relay.screen.text).toBe('one two');
    expect(relay.screen.size).toEqual({ cols: 100, rows: 30 });
  });

  it('[R1] answers device queries once, whether nobody is attached or three clients are', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.events.answer(new TextEncoder().encode('\u001b[1;1R'));
    for (const channel of [1, 2, 3]) relay.attaches(channel, id);
    relay.screen.events.answer(new TextEncoder().encode('\u001b[?1;2c'));
    expect(relay.pty.typed).toBe('\u001b[1;1R\u001b[?1;2c');
  });

  it('[R1] makes a program wait that prints more than can be parsed, also with nobody attached', () => {
    const relay = new ScriptedRelay();
    relay.creates();
    relay.screen.events.full(true);
    expect(relay.pty.paused).toBe(true);
    relay.screen.events.full(false);
    expect(relay.pty.paused).toBe(false);
  });

  it('[P3] reports title and directory of the shell; until the shell sets them, the system is asked', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const info = () => relay.agent.sessions.find(id).info;
    expect(info()).toMatchObject({ cwd: '/', title: null, foreground: 'sh' });
    relay.screen.events.title('vim\u0007 \u202eagent.ts');
    relay.screen.events.cwd('/srv/app');
    expect(info()).toMatchObject({ cwd: '/srv/app', title: 'vim agent.ts' });
  });

  it("[OU18] has the colours of the driver's window, and keeps them if a driver has reported none", () => {
    const relay = new ScriptedRelay();
    const [dark, light] = [{ background: '#000000' }, { background: '#ffffff' }];
    relay.asks(1, { type: 'create_session', request: 'c', ...SIZE, theme: dark });
    const { id } = relay.last('session_created').session;
    expect(relay.screen.theme).toEqual(dark);
    const handle = relay.attaches(1, id, { theme: dark });
    relay.attaches(2, id, { theme: light });
    relay.asks(2, { type: 'resize', session: id, ...SIZE, theme: light });
    expect(relay.screen.theme, 'who only looks').toEqual(dark);
    relay.types(2, handle, 0, 'x');
    expect(relay.screen.theme, 'who types').toEqual(light);
    relay.asks(2, { type: 'resize', session: id, ...SIZE, theme: dark });
    expect(relay.screen.theme, 'the driver changes its mind').toEqual(dark);
    relay.attaches(3, id);
    relay.types(3, handle, 0, 'x');
    expect(relay.screen.theme, 'who has told none').toEqual(dark);
    relay.asks(1, { type: 'resize', session: id, ...SIZE, theme: light }, 'viewer');
    expect(relay.screen.theme, 'a viewer').toEqual(dark);
  });

  it('knows whether a client is attached, and is closed with its session', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id);
    expect(relay.screen.watched).toBe(true);
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    expect(relay.screen.watched).toBe(false);
    relay.asks(1, { type: 'close_session', request: 'x', session: id });
    expect(relay.screen.closed).toBe(true);
  });
});

describe('input', () => {
  it('[IN2] is applied once: repeated input is acknowledged and not typed again', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { instance: 'page' });
    relay.types(1, handle, 0, 'ls');
    relay.types(1, handle, 0, 'ls -l\n');
    relay.types(1, handle, 0, 'ls');
    expect(relay.pty.typed).toBe('ls -l\n');
  });

  it('[IN2] is refused after a gap', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.types(1, handle, 5, 'late');
    expect(relay.pty.typed).toBe('');
    expect(relay.last('error')).toMatchObject({ code: 'input_hole', session: id });
  });

  it('[IN3] is acknowledged when the program has taken it, not before', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.pty.reads = false;
    relay.clear();
    relay.types(1, handle, 0, 'abc');
    relay.clock.advance(INPUT_ACK_WAIT_MS);
    expect(relay.sent).toEqual([]);
    relay.pty.readsInput();
    relay.clock.advance(INPUT_ACK_WAIT_MS);
    expect(relay.sent).toMatchObject([{ kind: 'ack', channel: 1, handle, offset: 3 }]);
  });

  it('[IN3] is acknowledged after the output that it caused, together with what was typed meanwhile', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    relay.clear();
    relay.types(1, handle, 0, 'a');
    relay.pty.prints('a');
    relay.types(1, handle, 1, 'bc');
    relay.clock.advance(INPUT_ACK_WAIT_MS);
    expect(relay.sent).toMatchObject([{ kind: 'output' }, { kind: 'ack', channel: 1, handle, offset: 3 }]);
  });

  it('[IN3] is acknowledged before the exit that it caused is reported', () => {
    const relay = new ScriptedRelay();
    const handle = relay.attaches(1, relay.creates(), { from: 0 });
    relay.clear();
    relay.types(1, handle, 0, '\x04');
    relay.pty.exits({ code: 0 });
    const kinds = relay.sent.map((item) => ('kind' in item ? item.kind : item.type));
    expect(kinds.indexOf('ack')).toBeGreaterThanOrEqual(0);
    expect(kinds.indexOf('ack')).toBeLessThan(kinds.indexOf('to_clients'));
  });

  it('[P27] gives its session priority; answers of the terminal itself do not', () => {
    const relay = new ScriptedRelay();
    const handle = relay.attaches(1, relay.creates());
    relay.screen.events.answer(new TextEncoder().encode('\x1b[1;1R'));
    expect([relay.pty.typed, relay.pty.preferred]).toEqual(['\x1b[1;1R', 0]);
    relay.types(1, handle, 0, 'k');
    expect(relay.pty.preferred).toBe(1);
  });

  it('[OU12] is echoed at once, even during a flood of short lines', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { from: 0 });
    for (let line = 0; line < EARLY_MAX_FRAMES; line++) relay.pty.prints('y');
    relay.clear();
    relay.pty.prints('y');
    expect(relay.story).toEqual([]);
    relay.types(1, handle, 0, '\x03');
    relay.pty.prints('^C');
    expect(relay.story).toEqual([`output 0 @${EARLY_MAX_FRAMES} y^C`]);
  });

  it('[IN3] of an earlier link is acknowledged with the next attach, not by itself', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.types(1, handle, 0, 'abc');
    relay.agent.linkOpened();
    relay.clear();
    relay.clock.advance(INPUT_ACK_WAIT_MS);
    expect(relay.sent).toEqual([]);
  });

  it('[IN4] is counted per client instance, across reconnects: the same page continues where it was', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { instance: 'page' });
    relay.types(1, handle, 0, 'one ');
    relay.agent.linkOpened();
    relay.attaches(9, id, { instance: 'page' });
    expect(relay.last('session_reattached').inputOffset).toBe(4);
    relay.types(9, handle, 0, 'one two');
    expect(relay.pty.typed).toBe('one two');
  });

  it('[IN4] of an instance that was forgotten among a thousand others continues at the offset it reports', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { instance: 'page' });
    relay.types(1, handle, 0, 'one ');
    for (let n = 2; n < 1100; n++) {
      relay.attaches(n, id);
      relay.types(n, handle, 0, 'x');
      relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: n }));
    }
    relay.attaches(1, id, { instance: 'page', typed: 4 });
    expect(relay.last('session_reattached').inputOffset).toBe(4);
    relay.types(1, handle, 4, 'two');
    expect(relay.pty.typed).toMatch(/^one x+two$/);
  });

  it('is refused if the program does not read and the queue is full', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.pty.reads = false;
    const piece = 'p'.repeat(PAYLOAD_MAX_BYTES);
    for (let i = 0; i < 17; i++) relay.types(1, handle, i * PAYLOAD_MAX_BYTES, piece);
    expect(relay.pty.backlogBytes).toBe(16 * PAYLOAD_MAX_BYTES);
    expect(relay.last('error')).toMatchObject({ code: 'input_backlog', session: id });
  });

  it('[RL7] of a viewer that gets past the relay is refused here too', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { role: 'viewer' });
    relay.types(1, handle, 0, 'x');
    expect(relay.pty.typed).toBe('');
    relay.asks(1, { type: 'close_session', request: 'x', session: id }, 'viewer');
    relay.asks(1, { type: 'resize', session: id, cols: 1, rows: 1 }, 'viewer');
    expect(relay.told.filter((message) => message.type === 'error').map(({ code }) => code)).toEqual([
      'forbidden',
      'forbidden',
      'forbidden',
    ]);
    expect(relay.pty.signals).toEqual([]);
    expect(relay.pty.size).toEqual(SIZE);
  });
});

describe('sessions', () => {
  it('[M4] are closed with SIGHUP, SIGTERM and SIGKILL, and then removed', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.ignores = ['SIGHUP', 'SIGTERM'];
    relay.asks(1, { type: 'close_session', request: 'x', session: id });
    expect(relay.pty.signals).toEqual(['SIGHUP']);
    relay.clock.advance(250);
    expect(relay.pty.signals).toEqual(['SIGHUP', 'SIGTERM']);
    relay.clock.advance(250);
    expect(relay.pty.signals).toEqual(['SIGHUP', 'SIGTERM', 'SIGKILL']);
    expect(relay.last('session_closed').session).toBe(id);
    expect(relay.agent.sessions.list()).toEqual([]);
    relay.asks(1, { type: 'rename_session', request: 'x', session: id, name: 'y' });
    expect(relay.last('error')).toMatchObject({ code: 'session_missing' });
    expect(relay.clock.pending).toBe(0);
  });

  it('are refused beyond the limit of the machine', () => {
    const relay = new ScriptedRelay();
    relay.creates();
    relay.creates();
    relay.asks(1, { type: 'create_session', request: 'third', ...SIZE });
    expect(relay.last('error')).toMatchObject({ code: 'session_limit', request: 'third' });
    expect(relay.spawner.ptys).toHaveLength(2);
  });

  it('[P8] have a name that is made printable and reported to everybody', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.asks(1, {
      type: 'rename_session',
      request: 'x',
      session: id,
      name: ' \u001b[31mbuild\u202e\u0007 ',
    });
    expect(relay.last('session_renamed')).toMatchObject({ session: id, name: '[31mbuild' });
    relay.asks(1, { type: 'rename_session', request: 'x', session: id, name: '\u0000 ' });
    expect(relay.last('error')).toMatchObject({ code: 'bad_request' });
  });

  it('[AG9] are described to the relay on request, before the request is confirmed', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.clear();
    relay.asks(1, { type: 'refresh_sessions', request: 'fresh' }, 'viewer');
    expect(relay.sent).toMatchObject([
      { type: 'session_changed', session: { id } },
      { type: 'to_client', channel: 1, message: { type: 'sessions_refreshed', request: 'fresh' } },
    ]);
    relay.asks(1, { type: 'refresh_sessions', request: 'none', session: 'unknown' });
    expect(relay.last('error')).toMatchObject({ code: 'session_missing', request: 'none' });
  });

  it('are all ended by draining, which reports when nothing they started is left', async () => {
    const relay = new ScriptedRelay();
    relay.creates();
    relay.creates();
    const stubborn = relay.pty;
    stubborn.ignores = ['SIGHUP'];
    let drained = false;
    const done = relay.agent.sessions.drain(10_000).then(() => {
      drained = true;
    });
    await Promise.resolve();
    expect(drained).toBe(false);
    relay.clock.advance(STEP_MS);
    await Promise.resolve();
    expect(drained, 'a job may have outlived its shell').toBe(false);
    relay.clock.advance(STEP_MS);
    await done;
    expect(stubborn.signals).toEqual(['SIGHUP', 'SIGTERM']);
  });
});
