/**
 * A viewer changes nothing except its own attachment: it sends every message and frame that a client can send, and the
 * whole state of the agent is compared before and after. A new message without a row here does not compile.
 */
import { describe, expect, it } from 'vitest';
import { encodeFrame, type FrameKind, KINDS } from '../../../protocol/frame.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import { CLOSE_MS, GRACE_MS, OPERATOR, SIZE, THEME, world } from './shared-machine.ts';

const VIEWER = 2;

type World = ReturnType<typeof world>;
type Row = (world: World) => readonly ClientMessage[];

/** `forbidden` for what is refused; the others are what viewers may do. */
const ROWS: Readonly<
  Record<ClientMessage['type'], { readonly outcome: 'answered' | 'forbidden'; readonly row: Row }>
> = {
  list_sessions: { outcome: 'forbidden', row: () => [{ type: 'list_sessions', request: 'q' }] },
  load_layout: { outcome: 'forbidden', row: () => [{ type: 'load_layout', request: 'q' }] },
  read: { outcome: 'forbidden', row: () => [{ type: 'read', mark: 'm' }] },
  save_layout: {
    outcome: 'forbidden',
    row: () => [{ type: 'save_layout', request: 'q', layout: { tabs: [], active: null } }],
  },
  refresh_sessions: {
    outcome: 'answered',
    row: ({ driven }) => [
      { type: 'refresh_sessions', request: 'q' },
      { type: 'refresh_sessions', request: 'q', session: driven },
    ],
  },
  create_session: {
    outcome: 'forbidden',
    row: ({ ended }) => [
      { type: 'create_session', request: 'q', ...SIZE },
      { type: 'create_session', request: 'q', ...SIZE, key: 'driven' },
      { type: 'create_session', request: 'q', ...SIZE, replaces: ended },
    ],
  },
  reattach_session: {
    outcome: 'answered',
    row: ({ driven, orphaned, closing, ended }) =>
      [driven, orphaned, closing, ended].flatMap((session) => [
        attachment(session),
        attachment(session, { from: 0, typed: 1000, once: 'another' }),
        attachment(session, { cols: 10, rows: 5, theme: { background: '#ffffff' } }),
        attachment(session, { hidden: true }),
        attachment(session, { history: 'later', instance: 'nobody', once: 'mine', typed: 7 }),
      ]),
  },
  hide_session: {
    outcome: 'answered',
    row: ({ driven, orphaned, closing }) =>
      [driven, orphaned, closing].flatMap((session) => [
        { type: 'hide_session', session } as const,
        attachment(session),
        { type: 'hide_session', session } as const,
      ]),
  },
  detach_session: {
    outcome: 'answered',
    row: ({ driven, orphaned, closing, ended }) =>
      [driven, orphaned, closing, ended].flatMap((session) => [
        { type: 'detach_session', session } as const,
        attachment(session),
        { type: 'detach_session', session } as const,
      ]),
  },
  close_session: {
    outcome: 'forbidden',
    row: ({ driven, closing }) => [
      { type: 'close_session', request: 'q', session: driven },
      { type: 'close_session', request: 'q', session: driven, afterMs: 1 },
      { type: 'close_session', request: 'q', session: closing, afterMs: 1_000_000 },
    ],
  },
  rename_session: {
    outcome: 'forbidden',
    row: ({ driven }) => [{ type: 'rename_session', request: 'q', session: driven, name: 'mine' }],
  },
  resize: {
    outcome: 'forbidden',
    row: ({ driven, orphaned }) =>
      [driven, orphaned].flatMap((session) => [
        { type: 'resize', session, cols: 10, rows: 5 } as const,
        { type: 'resize', session, cols: 10, rows: 5, takeOver: true, theme: THEME, request: 'q' } as const,
      ]),
  },
  take_snapshot: {
    outcome: 'answered',
    row: ({ driven, ended }) => [
      { type: 'take_snapshot', request: 'q', session: driven, format: 'ansi' },
      { type: 'take_snapshot', request: 'q', session: ended, format: 'html', scope: 'screen' },
    ],
  },
  list_commands: {
    outcome: 'answered',
    row: ({ driven, ended }) => [
      { type: 'list_commands', request: 'q', session: driven },
      { type: 'list_commands', request: 'q', session: ended },
    ],
  },
  run_command: {
    outcome: 'forbidden',
    row: ({ driven }) => [
      { type: 'run_command', request: 'q', session: driven, act: 'mine', command: 'id', waitMs: 0 },
    ],
  },
  type_text: {
    outcome: 'forbidden',
    row: ({ driven }) => [{ type: 'type_text', request: 'q', session: driven, act: 'mine', text: 'id' }],
  },
  signal_session: {
    outcome: 'forbidden',
    row: ({ driven }) => [{ type: 'signal_session', request: 'q', session: driven, signal: 'SIGKILL' }],
  },
  take_keyboard: { outcome: 'forbidden', row: ({ driven }) => [{ type: 'take_keyboard', session: driven }] },
  hand_back_keyboard: {
    outcome: 'forbidden',
    row: ({ driven }) => [{ type: 'hand_back_keyboard', session: driven }],
  },
  await_session: {
    outcome: 'answered',
    row: ({ driven }) => [
      { type: 'await_session', request: 'q', session: driven, for: 'command', waitMs: 0 },
      { type: 'await_session', request: 'q', session: driven, for: 'attention', waitMs: 1000 },
    ],
  },
  read_digest: {
    outcome: 'answered',
    row: () => [{ type: 'read_digest', request: 'q', since: '2026-11-16T03:26:00.000Z' }],
  },
  read_metrics: { outcome: 'forbidden', row: () => [{ type: 'read_metrics', request: 'q' }] },
};

function attachment(session: string, more: object = {}): ClientMessage {
  return { type: 'reattach_session', request: 'q', session, instance: 'typist', exited: 'read', ...more };
}

describe('a viewer', () => {
  it.each(Object.entries(ROWS))(
    '[SEC15] [RL7] [X5] changes nothing with %s except its own attachment',
    async (_, { outcome, row }) => {
      const made = world();
      const before = made.state();
      const counts = made.agent.sessions.list().map(({ viewers }) => viewers);
      for (const message of row(made)) {
        made.ask(VIEWER, 'viewer', message);
        await Promise.resolve();
        expect(made.state(), message.type).toEqual(before);
      }
      const refusals = made.refusals();
      if (outcome === 'forbidden') expect(refusals).toEqual(row(made).map(() => 'forbidden'));
      else expect(refusals).toEqual([]);
      made.drop(VIEWER);
      expect(made.state()).toEqual(before);
      expect(made.agent.sessions.list().map(({ viewers }) => viewers)).toEqual(counts);
    },
  );

  const FRAMES: Readonly<Record<FrameKind, 'forbidden' | 'taken' | 'malformed'>> = {
    output: 'malformed',
    input: 'forbidden',
    resize: 'malformed',
    snapshot: 'malformed',
    ack: 'taken',
  };

  it.each(Object.keys(KINDS) as FrameKind[])('[RL7] [X5] changes nothing with a %s frame', (kind) => {
    const made = world();
    made.ask(VIEWER, 'viewer', attachment(made.driven, { from: 0 }));
    const before = made.state();
    const { handle } = made;
    const payload = kind === 'ack' ? Buffer.alloc(0) : Buffer.from('\x03');
    const send = () =>
      made.agent.received(encodeFrame({ kind, channel: VIEWER, handle, offset: 5 }, payload));
    if (FRAMES[kind] === 'malformed') expect(send).toThrow(/clients send no/);
    else send();
    expect(made.refusals()).toEqual(FRAMES[kind] === 'forbidden' ? ['forbidden'] : []);
    expect(made.state()).toEqual(before);
  });

  it('[AG8] [X5] neither cancels nor delays a delayed close', () => {
    const made = world();
    made.clock.advance(CLOSE_MS - 200);
    made.ask(VIEWER, 'viewer', attachment(made.closing));
    made.clock.advance(100);
    expect(made.spawner.ptys[2]?.signals).toEqual(['SIGHUP']);
  });

  it('[AG2] [X5] does not keep an orphaned session: its grace period continues as if nobody watched', () => {
    const made = world();
    made.clock.advance(GRACE_MS / 2);
    made.ask(VIEWER, 'viewer', attachment(made.orphaned));
    made.clock.advance(GRACE_MS / 2);
    made.presence();
    expect(made.spawner.ptys[1]?.signals).toEqual(['SIGHUP']);
  });

  it('[AG2] [AG8] [X5] that stays when the last operator leaves neither keeps the session nor cancels its close', () => {
    const made = world();
    for (const session of [made.orphaned, made.closing]) made.ask(VIEWER, 'viewer', attachment(session));
    made.ask(3, 'operator', attachment(made.orphaned));
    made.ask(3, 'operator', { type: 'detach_session', session: made.orphaned });
    expect(made.agent.sessions.find(made.orphaned).orphanedSince).not.toBe(null);
    made.ask(OPERATOR, 'operator', { type: 'detach_session', session: made.closing });
    made.clock.advance(CLOSE_MS);
    expect(made.spawner.ptys[2]?.signals).toEqual(['SIGHUP']);
    made.clock.advance(GRACE_MS);
    made.presence();
    expect(made.spawner.ptys[1]?.signals).toEqual(['SIGHUP']);
  });

  it('[X5] does not prevent an ended session from being evicted', () => {
    const made = world();
    made.ask(VIEWER, 'viewer', attachment(made.ended));
    made.agent.sessions.create({ size: SIZE });
    made.agent.sessions.create({ size: SIZE });
    expect(made.agent.sessions.removals.evicted).toBe(1);
    expect(() => made.agent.sessions.find(made.ended)).toThrow(/does not exist/);
  });

  it('[OU11] [X5] with a window does not prevent an operator from setting the size', () => {
    const made = world();
    made.ask(VIEWER, 'viewer', attachment(made.orphaned, { cols: 10, rows: 5 }));
    made.ask(3, 'operator', attachment(made.orphaned, { cols: 100, rows: 30 }));
    const session = made.agent.sessions.find(made.orphaned);
    expect([session.size, session.driver]).toEqual([{ cols: 100, rows: 30 }, 3]);
  });

  it('[IN8] [X5] cannot make a promise for an operator, who can type what it meant to', () => {
    const made = world();
    made.ask(VIEWER, 'viewer', attachment(made.orphaned, { instance: 'key', once: 'forged', typed: 10 }));
    made.ask(3, 'operator', attachment(made.orphaned, { instance: 'key', once: 'true' }));
    expect(made.refusals()).toEqual([]);
    const { handle } = made.agent.sessions.find(made.orphaned).identity;
    made.agent.received(
      encodeFrame({ kind: 'input', channel: 3, handle, offset: 0 }, Buffer.from('command')),
    );
    expect(made.spawner.ptys[1]?.typed).toBe('command');
  });

  it('[IN9] [X5] cannot make the agent forget a promise: nothing is typed twice after any number of attaches', () => {
    const made = world();
    for (let i = 0; i < 11_000; i++)
      made.ask(
        VIEWER,
        'viewer',
        attachment(made.driven, { instance: `i${i}`, once: `o${i}`, typed: 5, hidden: true }),
      );
    made.ask(OPERATOR, 'operator', attachment(made.driven, { once: 'promise' }));
    made.agent.received(
      encodeFrame({ kind: 'input', channel: OPERATOR, handle: made.handle, offset: 0 }, Buffer.from('abc')),
    );
    expect(made.spawner.ptys[0]?.typed).toBe('abc');
  });
});
