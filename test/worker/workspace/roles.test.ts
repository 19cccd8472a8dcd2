/**
 * Which role may do what: every message and frame, for every role, before and after a wake-up, in the relay and in the
 * agent.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame, type FrameKind, KINDS } from '../../../protocol/frame.ts';
import type { ClientMessage } from '../../../protocol/messages/client-message.ts';
import { keepNothing } from '../../../vm-agent/disk/session-storage.ts';
import { Agent } from '../../../vm-agent/link/agent.ts';
import { CLIENT_MESSAGES } from '../../protocol/message-examples.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fakeSpawner } from '../../support/fake-pty.ts';
import { fakeScreens } from '../../support/fake-screen.ts';
import { checkProperty } from '../../support/property.ts';
import {
  attachClient,
  bytes,
  channelOf,
  connectAgent,
  connectClient,
  HANDLE,
  questioned,
} from '../../support/relay-story.ts';
import { ScriptedPeer } from '../../support/scripted-peer.ts';
import { sessionInfo } from '../../support/scripted-session.ts';
import { TestRelay } from '../../support/test-relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await TestRelay.start();
});
afterAll(() => relay[Symbol.asyncDispose]());

const LIMITS = {
  historyBytes: 1000,
  maxSessions: 2,
  whenFull: 'refuse',
  orphanGraceMs: 0,
  idleTimeoutMs: 0,
  exitedKeepMs: 0,
} as const;

/** What happens to a message: answered or recorded by the relay, forwarded to the agent, or refused. */
const OPERATOR: Readonly<Record<ClientMessage['type'], 'answered' | 'passed' | 'noted'>> = {
  list_sessions: 'answered',
  refresh_sessions: 'passed',
  load_layout: 'answered',
  save_layout: 'answered',
  create_session: 'passed',
  reattach_session: 'passed',
  hide_session: 'passed',
  detach_session: 'passed',
  close_session: 'passed',
  rename_session: 'passed',
  resize: 'passed',
  take_snapshot: 'passed',
  list_commands: 'passed',
  run_command: 'passed',
  type_text: 'passed',
  signal_session: 'passed',
  await_session: 'passed',
  read_digest: 'passed',
  take_keyboard: 'passed',
  hand_back_keyboard: 'passed',
  read_metrics: 'passed',
  read: 'noted',
};
const FOR_VIEWERS = [
  'list_sessions',
  'refresh_sessions',
  'load_layout',
  'reattach_session',
  'hide_session',
  'detach_session',
  'take_snapshot',
  'list_commands',
  'await_session',
  'read_digest',
  'read',
];

const matrix = (['operator', 'viewer'] as const).flatMap((role) =>
  Object.values(CLIENT_MESSAGES).map((message) => ({
    role,
    type: message.type,
    message,
    outcome: role === 'viewer' && !FOR_VIEWERS.includes(message.type) ? 'forbidden' : OPERATOR[message.type],
  })),
);

const frames = (['operator', 'viewer'] as const).flatMap((role) =>
  (Object.keys(KINDS) as FrameKind[]).map((kind) => {
    const allowed = kind === 'ack' || (kind === 'input' && role === 'operator');
    return { role, kind, outcome: allowed ? 'passed' : kind === 'input' ? 'forbidden' : 'closed' };
  }),
);

describe.each(['awake', 'just woken'])('in an object that is %s', (state) => {
  const settle = async () => state === 'just woken' && relay.evict('hibernate');

  it.each(matrix)("[SEC4] [RL7] a $role's $type is $outcome", async ({ role, message, outcome }) => {
    const agent = await connectAgent(relay, { sessions: [sessionInfo('s-1')] });
    const client = await connectClient(relay, role);
    const saved = await relay.sql('SELECT * FROM layout', 'SELECT * FROM sessions');
    await settle();
    client.send(message);
    if (outcome === 'passed') {
      expect(await agent.message('from_client')).toMatchObject({ role, message });
    } else if (outcome === 'answered') {
      await client.message(message.type === 'list_sessions' ? 'session_list' : 'layout');
    } else if (outcome === 'noted') {
      client.send({ type: 'load_layout', request: 'next' });
      expect(await client.next(), 'nothing comes before the answer to the next question').toMatchObject({
        type: 'layout',
      });
      expect((await questioned(agent)).before, 'the agent hears nothing of it').toEqual([]);
    } else {
      expect(await client.message('error')).toMatchObject({ code: 'forbidden' });
      expect((await questioned(agent)).before, 'the agent hears nothing of it').toEqual([]);
      expect(await relay.sql('SELECT * FROM layout', 'SELECT * FROM sessions')).toEqual(saved);
    }
    await client[Symbol.asyncDispose]();
  });

  it.each(frames)("[SEC4] [RL7] a $role's $kind frame is $outcome", async ({ role, kind, outcome }) => {
    const agent = await connectAgent(relay, { sessions: [sessionInfo('s-1')] });
    const client = await connectClient(relay, role);
    await settle();
    client.send(
      encodeFrame(
        { kind, channel: 0, handle: HANDLE, offset: 0 },
        kind === 'ack' ? bytes('') : bytes('rm!!'),
      ),
    );
    if (outcome === 'passed') expect(await agent.frame()).toMatchObject({ kind });
    if (outcome === 'closed') expect((await client.closed).code).toBe(4400);
    if (outcome === 'forbidden') {
      expect(await client.message('error')).toMatchObject({ code: 'forbidden' });
      expect((await questioned(agent)).before).toEqual([]);
    }
    if (outcome !== 'closed') await client[Symbol.asyncDispose]();
  });
});

describe('in the agent', () => {
  it.each(matrix.filter(({ outcome }) => outcome === 'forbidden'))(
    "[RL7] a viewer's $type is refused even if a relay forwarded it",
    ({ message }) => {
      const sent: unknown[] = [];
      const spawner = fakeSpawner();
      const agent = new Agent({
        spawn: spawner.spawn,
        openScreen: fakeScreens().openScreen,
        keep: keepNothing,
        clock: new FakeClock(),
        limits: LIMITS,
        defaults: { command: '/bin/sh', cwd: '/', env: {} },
        send: (frame) => sent.push(typeof frame === 'string' ? JSON.parse(frame) : frame),
      });
      agent.received(JSON.stringify({ type: 'from_client', channel: 5, role: 'viewer', message }));
      expect(sent).toMatchObject([{ type: 'to_client', message: { type: 'error', code: 'forbidden' } }]);
      expect(spawner.ptys).toEqual([]);
    },
  );
});

describe('between workspaces', () => {
  it('[SEC3] [GT3] nothing passes: whatever is sent in one, the other receives and shows nothing of it', async () => {
    const other = async (path: string, role: 'agent' | 'operator') =>
      ScriptedPeer.connect(new URL(path, relay.url), await relay.bearer(role, 'other'));
    const agent = await connectAgent(relay, { sessions: [sessionInfo('s1')] });
    const { client, channel } = await attachClient(relay, agent);
    const [theirAgent, theirs] = [
      await other('/ws/agent/other', 'agent'),
      await other('/ws/workspaces/other', 'operator'),
    ];
    theirAgent.send({ type: 'hello', version: 1, epoch: 'e', sessions: [], more: false });
    await theirAgent.message('presence');
    await theirs.message('agent_state');
    await theirs.message('agent_state');
    const theirChannel = await channelOf(theirs, theirAgent);

    const attack = fc.oneof(
      fc.record({ kind: fc.constant('output' as const), channel: fc.constantFrom(0, channel, theirChannel) }),
      fc.record({ kind: fc.constant('subscribe' as const), channel: fc.constantFrom(channel, theirChannel) }),
      fc.record({ kind: fc.constant('to_client' as const), channel: fc.constant(channel) }),
      fc.record({ kind: fc.constant('to_clients' as const), channel: fc.constant(channel) }),
      fc.record({ kind: fc.constant('session_gone' as const), channel: fc.constant(channel) }),
      fc.record({ kind: fc.constant('input' as const), channel: fc.constant(channel) }),
      fc.record({ kind: fc.constant('close_session' as const), channel: fc.constant(channel) }),
    );
    await checkProperty(
      'foreign-workspace',
      fc.asyncProperty(fc.array(attack, { minLength: 1, maxLength: 8 }), async (attacks) => {
        for (const { kind, channel: to } of attacks) strike(kind, to, theirAgent, theirs);
        await Promise.all([theirAgent.pong(), theirs.pong()]);
        client.send({ type: 'list_sessions', request: 'l' });
        expect(await client.message('session_list')).toMatchObject({
          sessions: [{ id: 's1', status: 'running' }],
        });
        expect(await questioned(agent)).toEqual({ clients: [channel], before: [] });
        expect(client.unread).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

function strike(kind: string, channel: number, agent: ScriptedPeer, client: ScriptedPeer): void {
  const message = { type: 'session_closed', session: 's1', reason: 'closed' };
  if (kind === 'output')
    agent.send(encodeFrame({ kind, channel, handle: HANDLE, offset: 0 }, bytes('foreign')));
  else if (kind === 'subscribe') agent.send({ type: 'subscribe', channel, handle: HANDLE });
  else if (kind === 'session_gone') agent.send({ type: 'session_gone', session: 's1', reason: 'closed' });
  else if (kind === 'to_client') agent.send({ type: 'to_client', channel, message });
  else if (kind === 'to_clients') agent.send({ type: 'to_clients', message });
  else if (kind === 'input')
    client.send(encodeFrame({ kind, channel, handle: HANDLE, offset: 0 }, bytes('rm')));
  else client.send({ type: 'close_session', request: 'x', session: 's1' });
}
