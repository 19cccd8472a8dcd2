/** The agent against a scripted relay: no socket, no process, no real time. */
import { describe, expect, it } from 'vitest';
import type { WireFrame } from '../../protocol/connection.ts';
import { decodeFrame, encodeFrame, type Frame } from '../../protocol/frame.ts';
import { OUTPUT_WINDOW_BYTES, PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import {
  type AgentMessage,
  type ClientMessage,
  type ClientRole,
  parseAgentMessage,
  type ServerMessage,
} from '../../protocol/messages.ts';
import { Agent } from '../../vm-agent/agent.ts';
import { keepNothing } from '../../vm-agent/session-keeper.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type FakePty, fakeSpawner } from '../support/fake-pty.ts';
import { type FakeScreen, fakeScreens } from '../support/fake-screen.ts';

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

/** Plays the relay: passes on what clients ask for and reads what the agent puts on the link. */
class ScriptedRelay {
  readonly clock = new FakeClock();
  readonly spawner = fakeSpawner();
  readonly screens = fakeScreens();
  readonly sent: (AgentMessage | Frame)[] = [];
  readonly agent = new Agent({
    spawn: this.spawner.spawn,
    openScreen: this.screens.openScreen,
    keep: keepNothing,
    clock: this.clock,
    limits: LIMITS,
    defaults: { command: '/bin/sh', cwd: '/', env: { TERM: 'xterm-256color' } },
    send: (frame) => this.sent.push(read(frame)),
  });

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

  /** What clients were told, in order, without frames and bookkeeping. */
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
    more: { from?: number; instance?: string; role?: ClientRole } = {},
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

  /** Forgets what was sent so far. */
  clear(): void {
    this.sent.length = 0;
  }

  /** Kinds and texts of what was sent, for reading the order. */
  get story(): string[] {
    return this.sent.map((item) => {
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
  it('[RL10] ignores what the relay said to an earlier generation, and starts over with a new link', () => {
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

  it('[RL9] asks who is there when a client has not acknowledged for a while', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    const handle = relay.attaches(1, relay.creates());
    relay.pty.prints('seen');
    relay.acknowledges(1, handle, 4);
    relay.clock.advance(60_000);
    relay.clear();
    relay.pty.prints('unseen');
    relay.clock.advance(60_000);
    expect(relay.sent.filter((item) => 'type' in item && item.type === 'ask_presence')).toHaveLength(1);
  });

  it('[AG1] begins with who we are and what runs, in pages', () => {
    const relay = new ScriptedRelay();
    relay.agent.linkOpened();
    expect(relay.sent).toEqual([
      { type: 'hello', version: 1, epoch: relay.agent.sessions.epoch, sessions: [], more: false },
    ]);
    const id = relay.creates();
    relay.clear();
    relay.agent.linkOpened();
    expect(relay.sent).toMatchObject([{ type: 'hello', sessions: [{ id, status: 'running' }] }]);
  });

  it('[AG1] forgets who was attached on the link before, and drops their late input', () => {
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
  it('[OU1] attaching confirms, replays and subscribes in one ordered stream; live output goes on from there', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('before ');
    relay.clear();
    relay.attaches(1, id);
    relay.pty.prints('after');
    expect(relay.story).toEqual([
      'unsubscribe',
      'session_changed',
      'to_client session_reattached',
      'to_client scrollback',
      'output 1 @0 before ',
      'subscribe',
      'output 0 @7 after',
    ]);
    expect(relay.last('scrollback')).toMatchObject({ kind: 'delta', from: 0, to: 7, lost: 0, ...SIZE });
  });

  it('[OU1] bytes still being joined into a frame are in the replay, not sent again after it', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id);
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

  it('[OU1] a client that has some gets exactly the rest', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('0123456789');
    relay.clear();
    relay.attaches(1, id, { from: 6 });
    expect(relay.story).toContain('output 1 @6 6789');
  });

  it('[OU3] says exactly how many bytes are gone', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('x'.repeat(1500));
    relay.attaches(1, id, { from: 100 });
    expect(relay.last('scrollback')).toMatchObject({ from: 500, to: 1500, lost: 400 });
  });

  it('[OU2] a long replay is cut into frames of the allowed size', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id);
    relay.clear();
    relay.pty.prints('y'.repeat(2 * PAYLOAD_MAX_BYTES + 5));
    relay.clock.advance(100);
    const sizes = relay.sent.flatMap((item) => ('payload' in item ? [item.payload.length] : []));
    expect(sizes).toEqual([PAYLOAD_MAX_BYTES, PAYLOAD_MAX_BYTES, 5]);
  });

  it('[P4] what is printed while nobody watches is kept, and sent to nobody', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.clear();
    relay.pty.prints('alone');
    expect(relay.sent).toEqual([]);
    relay.attaches(1, id);
    expect(relay.story).toContain('output 1 @0 alone');
  });

  it('[OU5] a program waits when even its fastest viewer is a window behind, and goes on when one catches up', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.attaches(2, id);
    relay.pty.prints('z'.repeat(OUTPUT_WINDOW_BYTES));
    expect(relay.pty.paused).toBe(true);
    relay.acknowledges(2, handle, 1000);
    expect(relay.pty.paused).toBe(false);
  });

  it('[OU5] nobody attached, nobody waits: also when the last viewer leaves a program that was waiting', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id);
    relay.pty.prints('z'.repeat(OUTPUT_WINDOW_BYTES));
    expect(relay.pty.paused).toBe(true);
    relay.agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 1 }));
    expect(relay.pty.paused).toBe(false);
    relay.pty.prints('z'.repeat(3 * OUTPUT_WINDOW_BYTES));
    expect(relay.pty.paused).toBe(false);
  });

  it('[P5] the exit is told after everything that was printed, with its code and the final offset', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id);
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

  it('[P5] a client that attaches afterwards is told the exit too, after the replay', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('bye');
    relay.pty.exits({ signal: 'SIGKILL', code: null });
    relay.clear();
    relay.attaches(1, id);
    expect(relay.story.slice(-3)).toEqual(['output 1 @0 bye', 'subscribe', 'to_client session_exited']);
    expect(relay.last('session_exited')).toMatchObject({ exitCode: null, signal: 'SIGKILL', offset: 3 });
  });

  it('a resize is an event at an offset, after the bytes printed before it', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.attaches(1, id);
    relay.pty.prints('w'.repeat(4096));
    relay.clear();
    relay.asks(1, { type: 'resize', session: id, cols: 100, rows: 30 });
    expect(relay.pty.size).toMatchObject({ cols: 100, rows: 30 });
    expect(relay.sent.map((item) => ('payload' in item ? [item.kind, item.offset] : item.type))).toEqual([
      ['output', 0],
      ['resize', 4096],
    ]);
    relay.attaches(2, id);
    expect(relay.last('scrollback')).toMatchObject({ type: 'scrollback', cols: 100, rows: 30 });
  });
});

describe('the screen', () => {
  it('[R1] [P4] mirrors everything, watched or not, with resizes in their place', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.pty.prints('one ');
    relay.attaches(1, id);
    relay.asks(1, { type: 'resize', session: id, cols: 100, rows: 30 });
    relay.pty.prints('two');
    expect(relay.screen.text).toBe('one two');
    expect(relay.screen.size).toEqual({ cols: 100, rows: 30 });
  });

  it('[R1] answers for everybody: what it says is typed once, whether nobody watches or three do', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    relay.screen.events.answer(new TextEncoder().encode('\u001b[1;1R'));
    for (const channel of [1, 2, 3]) relay.attaches(channel, id);
    relay.screen.events.answer(new TextEncoder().encode('\u001b[?1;2c'));
    expect(relay.pty.typed).toBe('\u001b[1;1R\u001b[?1;2c');
  });

  it('[R1] a program that prints more than can be parsed waits, also with nobody attached', () => {
    const relay = new ScriptedRelay();
    relay.creates();
    relay.screen.events.full(true);
    expect(relay.pty.paused).toBe(true);
    relay.screen.events.full(false);
    expect(relay.pty.paused).toBe(false);
  });

  it('[P3] title and directory follow the shell; before it says so, the system is asked', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const info = () => relay.agent.sessions.find(id).info;
    expect(info()).toMatchObject({ cwd: '/', title: null, foreground: 'sh' });
    relay.screen.events.title('vim\u0007 \u202eagent.ts');
    relay.screen.events.cwd('/srv/app');
    expect(info()).toMatchObject({ cwd: '/srv/app', title: 'vim agent.ts' });
  });

  it('is told whether somebody watches, and closed with its session', () => {
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
  it('[IN2] is applied once: what is sent again is acknowledged and not typed again', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id, { instance: 'page' });
    relay.types(1, handle, 0, 'ls');
    relay.types(1, handle, 0, 'ls -l\n');
    relay.types(1, handle, 0, 'ls');
    expect(relay.pty.typed).toBe('ls -l\n');
  });

  it('[IN2] is refused across a hole', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.types(1, handle, 5, 'late');
    expect(relay.pty.typed).toBe('');
    expect(relay.last('error')).toMatchObject({ code: 'bad_request', session: id });
  });

  it('[IN3] is acknowledged when the program has taken it, not before', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.pty.reads = false;
    relay.clear();
    relay.types(1, handle, 0, 'abc');
    expect(relay.sent).toEqual([]);
    relay.pty.readsInput();
    expect(relay.sent).toMatchObject([{ kind: 'ack', channel: 1, handle, offset: 3 }]);
  });

  it('[IN4] counts per client instance, over reconnects: the same page goes on where it was', () => {
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

  it('refuses more when the program does not read and the queue is full', () => {
    const relay = new ScriptedRelay();
    const id = relay.creates();
    const handle = relay.attaches(1, id);
    relay.pty.reads = false;
    const piece = 'p'.repeat(PAYLOAD_MAX_BYTES);
    for (let i = 0; i < 17; i++) relay.types(1, handle, i * PAYLOAD_MAX_BYTES, piece);
    expect(relay.pty.backlogBytes).toBe(16 * PAYLOAD_MAX_BYTES);
    expect(relay.last('error')).toMatchObject({ code: 'input_backlog', session: id });
  });

  it('[RL7] a viewer that gets past the relay is refused here too', () => {
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
  it('[M4] closing asks, insists and kills, then the session is gone', () => {
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

  it('refuses more sessions than the machine allows', () => {
    const relay = new ScriptedRelay();
    relay.creates();
    relay.creates();
    relay.asks(1, { type: 'create_session', request: 'third', ...SIZE });
    expect(relay.last('error')).toMatchObject({ code: 'session_limit', request: 'third' });
    expect(relay.spawner.ptys).toHaveLength(2);
  });

  it('[P8] a name is made printable, and told to everybody', () => {
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

  it('draining ends every program and says when all have ended', async () => {
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
    relay.clock.advance(250);
    await done;
    expect(stubborn.signals).toEqual(['SIGHUP', 'SIGTERM']);
  });
});
