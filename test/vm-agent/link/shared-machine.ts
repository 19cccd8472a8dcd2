/** An agent with sessions in every state, an operator who drives one of them, and a viewer. */
import { encodeFrame } from '../../../protocol/frame.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import { keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { Agent } from '../../../vm-agent/link/agent.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fakeSpawner } from '../../support/fake-pty.ts';
import { fakeScreens } from '../../support/fake-screen.ts';

export const SIZE = { cols: 80, rows: 24 };
export const THEME = { foreground: '#010203', background: '#040506' };
export const GRACE_MS = 60_000;
export const CLOSE_MS = 20_000;
/** What its own attachment may cost: a waiting replay, a due acknowledgement. */
const OWN_TIMERS_MS = 2_000;

export const OPERATOR = 1;

/** One session that an operator drives, one that is orphaned, one that is to be closed, one that has ended. */
export function world() {
  const clock = new FakeClock();
  const spawner = fakeSpawner();
  const screens = fakeScreens();
  const sent: { type?: string; question?: string; message?: { type?: string; code?: string } }[] = [];
  const agent = new Agent({
    spawn: spawner.spawn,
    openScreen: screens.openScreen,
    keep: keepNothing,
    clock,
    limits: {
      historyBytes: 1000,
      maxSessions: 5,
      whenFull: 'evict-oldest-orphan',
      orphanGraceMs: GRACE_MS,
      idleTimeoutMs: 0,
      exitedKeepMs: GRACE_MS,
    },
    defaults: { command: '/bin/sh', cwd: '/', env: {} },
    send: (frame) => sent.push(typeof frame === 'string' ? JSON.parse(frame) : {}),
  });
  agent.linkOpened();
  agent.received(JSON.stringify({ type: 'presence', generation: 1, clients: [] }));
  const ask = (channel: number, role: ClientRole, message: ClientMessage) =>
    agent.received(JSON.stringify({ type: 'from_client', channel, role, message }));
  const [driven, orphaned, closing, ended] = ['driven', 'orphaned', 'closing', 'ended'].map(
    (key) => agent.sessions.create({ size: SIZE, key }).identity.id,
  ) as [string, string, string, string];
  for (const pty of spawner.ptys) pty.prints('hello');
  ask(OPERATOR, 'operator', {
    type: 'reattach_session',
    request: 'r',
    session: driven,
    instance: 'typist',
    once: 'promise',
    from: 5,
    ...SIZE,
    theme: THEME,
  });
  const { handle } = agent.sessions.find(driven).identity;
  agent.received(encodeFrame({ kind: 'input', channel: OPERATOR, handle, offset: 0 }, Buffer.from('abc')));
  ask(OPERATOR, 'operator', { type: 'close_session', request: 'c', session: closing, afterMs: CLOSE_MS });
  spawner.ptys[3]?.exits();
  clock.advance(100);
  const drop = (channel: number) =>
    agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel }));
  /** Everything except the attachments. */
  const state = () => ({
    sessions: agent.sessions.list().map((session) => {
      const { attached: _, ...info } = session.info;
      const { driver, size, operators, input } = session;
      return { info, driver, size, operators, instances: input.instances };
    }),
    ptys: spawner.ptys.map(({ typed, size, signals, paused, preferred }) => ({
      typed,
      size,
      signals,
      paused,
      preferred,
    })),
    themes: screens.screens.map(({ theme }) => theme),
    timers: clock.due.filter((due) => due > clock.now() + OWN_TIMERS_MS),
    removals: { ...agent.sessions.removals },
  });
  const refusals = () => sent.flatMap(({ message }) => (message?.type === 'error' ? [message.code] : []));
  const presence = () => {
    for (const { type, question } of sent.splice(0))
      if (type === 'ask_presence')
        agent.received(JSON.stringify({ type: 'presence', generation: 1, clients: [], question }));
  };
  return {
    agent,
    ask,
    clock,
    closing,
    driven,
    drop,
    ended,
    orphaned,
    presence,
    refusals,
    spawner,
    state,
    handle,
  };
}
