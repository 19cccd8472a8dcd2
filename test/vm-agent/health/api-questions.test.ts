/** Requests of the API that a page does not make: snapshots, metrics, attaching without a window, typing once. */
import { expect, it } from 'vitest';
import { decodeFrame, encodeFrame } from '../../../protocol/frame.ts';
import { type AgentMessage, parseAgentMessage } from '../../../protocol/messages/agent-message.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../../protocol/messages/server-message.ts';
import { keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { countRecoveries } from '../../../vm-agent/health/agent-metrics.ts';
import { Metrics } from '../../../vm-agent/health/metrics.ts';
import { Agent } from '../../../vm-agent/link/agent.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fakeSpawner } from '../../support/fake-pty.ts';
import { fakeScreens } from '../../support/fake-screen.ts';

const LIMITS = {
  historyBytes: 1000,
  maxSessions: 5,
  whenFull: 'refuse',
  orphanGraceMs: 0,
  idleTimeoutMs: 0,
  exitedKeepMs: 0,
} as const;

function start() {
  const clock = new FakeClock();
  const spawner = fakeSpawner();
  const metrics = new Metrics();
  const sent: (AgentMessage | ReturnType<typeof decodeFrame>)[] = [];
  const agent = new Agent({
    spawn: spawner.spawn,
    openScreen: fakeScreens().openScreen,
    keep: keepNothing,
    clock,
    limits: LIMITS,
    defaults: { command: '/bin/sh', cwd: '/', env: {} },
    metrics: () => metrics.render(),
    recoveries: countRecoveries(metrics),
    send: (frame) => sent.push(typeof frame === 'string' ? parseAgentMessage(frame) : decodeFrame(frame)),
  });
  agent.linkOpened();
  const ask = (message: ClientMessage, channel = 1) =>
    agent.received(JSON.stringify({ type: 'from_client', channel, role: 'operator', message }));
  const told = () =>
    sent.flatMap((item) =>
      'type' in item && item.type === 'to_client' ? [item.message] : [],
    ) as ServerMessage[];
  const last = <T extends ServerMessage['type']>(type: T) =>
    told().findLast((message) => message.type === type) as Extract<ServerMessage, { type: T }>;
  const create = (more: Partial<Extract<ClientMessage, { type: 'create_session' }>> = {}) => {
    ask({ type: 'create_session', request: 'c', cols: 80, rows: 24, ...more });
    return last('session_created').session.id;
  };
  return { agent, clock, spawner, sent, ask, last, create };
}

const attach = (session: string, more: object = {}): ClientMessage => ({
  type: 'reattach_session',
  request: 'a',
  session,
  instance: 'i',
  ...more,
});

it('[OU16] a requested snapshot is announced and sent in frames to its requester, and attaches nobody', async () => {
  const { agent, ask, last, create, sent, spawner } = start();
  const session = create();
  spawner.ptys[0]?.prints('hello');
  ask({ type: 'take_snapshot', request: 'p', session, format: 'text', scope: 'screen' }, 7);
  await Promise.resolve();
  await Promise.resolve();
  const { bytes, handle } = last('snapshot_taken');
  expect(last('snapshot_taken')).toMatchObject({
    request: 'p',
    session,
    format: 'text',
    offset: 5,
    cols: 80,
    rows: 24,
  });
  const frames = sent.filter((item) => 'kind' in item && item.kind === 'snapshot');
  expect(frames).toMatchObject([
    { kind: 'snapshot', channel: 7, handle, offset: 0, payload: { length: bytes } },
  ]);
  expect(agent.sessions.find(session).viewers).toBe(0);
});

it('[OU16] a snapshot of a missing session is refused', () => {
  const { ask, last } = start();
  ask({ type: 'take_snapshot', request: 'p', session: 'nobody', format: 'ansi' });
  expect(last('error')).toMatchObject({ request: 'p', code: 'session_missing' });
});

it('[OU17] a client without a window sets no size, by attaching or by typing, and prevents nobody from doing so', () => {
  const { agent, ask, last, create } = start();
  const session = create();
  ask(attach(session), 1);
  const { handle } = last('session_reattached');
  agent.received(
    encodeFrame({ kind: 'input', channel: 1, handle, offset: 0 }, new TextEncoder().encode('x')),
  );
  expect(agent.sessions.find(session).size).toEqual({ cols: 80, rows: 24 });
  expect(agent.sessions.find(session).driver).toBeNull();
  ask(attach(session, { cols: 100, rows: 30 }), 2);
  expect(agent.sessions.find(session).size).toEqual({ cols: 100, rows: 30 });
});

it('[OU11] a requested size is answered, and stays when its requester has left', () => {
  const { agent, ask, last, create } = start();
  const session = create();
  ask({ type: 'resize', request: 'r', session, cols: 90, rows: 40, takeOver: true }, 3);
  expect(last('session_resized')).toEqual({
    type: 'session_resized',
    request: 'r',
    session,
    cols: 90,
    rows: 40,
  });
  agent.received(JSON.stringify({ type: 'client_dropped', generation: 1, channel: 3 }));
  expect(agent.sessions.find(session).size).toEqual({ cols: 90, rows: 40 });
  expect(agent.sessions.find(session).driver).toBeNull();
});

it('[IN8] an instance with a promise: the same input again is recognised, other input is refused', () => {
  const { ask, last, create } = start();
  const session = create();
  ask(attach(session, { hidden: true, once: 'digest-1' }));
  expect(last('session_reattached')).toMatchObject({ inputOffset: 0 });
  ask(attach(session, { request: 'b', hidden: true, once: 'digest-1' }));
  expect(last('session_reattached')).toMatchObject({ request: 'b' });
  ask(attach(session, { request: 'd', hidden: true, once: 'digest-2' }));
  expect(last('error')).toMatchObject({ request: 'd', code: 'input_conflict' });
});

it('[AG10] a session with its own grace period ends after it, although the agent keeps others for good', () => {
  const { agent, clock, create, sent } = start();
  agent.received(JSON.stringify({ type: 'presence', generation: 1, clients: [] }));
  const kept = create();
  const short = create({ graceMs: 30_000 });
  expect(agent.sessions.list().map(({ info }) => info.graceMs)).toEqual([undefined, 30_000]);
  clock.advance(30_000);
  const asked = sent.findLast((item) => 'type' in item && item.type === 'ask_presence');
  const question = (asked as { question: string }).question;
  agent.received(JSON.stringify({ type: 'presence', generation: 1, clients: [], question }));
  clock.advance(5_000);
  expect(agent.sessions.list().map(({ identity }) => identity.id)).toContain(kept);
  expect(() => agent.sessions.find(short)).toThrow(/does not exist/);
});

it('[AG6] reports that a session with the key was found', () => {
  const { ask, last, create } = start();
  create({ key: 'k' });
  expect(last('session_created').found).toBeUndefined();
  ask({ type: 'create_session', request: 'again', cols: 80, rows: 24, key: 'k' });
  expect(last('session_created')).toMatchObject({ request: 'again', found: true });
});

it('[R11] counts recoveries by kind, with their times', async () => {
  const { ask, last, create, spawner } = start();
  const session = create();
  spawner.ptys[0]?.prints('hello');
  ask(attach(session, { from: 0 }), 1);
  ask(attach(session), 2);
  await Promise.resolve();
  await Promise.resolve();
  ask(attach('nobody'), 3);
  ask({ type: 'read_metrics', request: 'm' });
  const { text } = last('metrics');
  expect(text).toMatch(/^holdfast_recoveries_total\{kind="delta"\} 1$/m);
  expect(text).toMatch(/^holdfast_recoveries_total\{kind="snapshot"\} 1$/m);
  expect(text).toMatch(/^holdfast_reconnects_total 1$/m);
  expect(text).toMatch(/^holdfast_failed_recoveries_total 1$/m);
  expect(text).toMatch(/^holdfast_recovery_seconds_count 2$/m);
  expect(text).toMatch(/^holdfast_recovery_quantile_seconds\{quantile="0.99"\} 0$/m);
  expect(text).toMatch(/^holdfast_snapshot_bytes_count 1$/m);
});
