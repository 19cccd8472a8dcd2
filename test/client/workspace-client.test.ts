/** The client library against a scripted relay on an in-memory socket: the connection, requests and lists. */
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../protocol/frame.ts';
import { SESSIONS_MAX } from '../../protocol/limits.ts';
import { PROVE_AFTER_MS } from '../../protocol/link-proof.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { typeInto } from '../support/type-into.ts';
import { HANDLE, SIZE, Story } from './client-story.ts';

describe('the client', () => {
  it('is live with the first message of the relay, not with the socket', () => {
    const story = new Story();
    story.network.latest.accept();
    expect(story.client.state.name).toBe('connecting');
    story.agentIs('online');
    expect(story.client.state).toMatchObject({ name: 'live', agent: { state: 'online' } });
  });

  describe('with an agent that hangs', () => {
    function watching() {
      const story = new Story();
      story.connects();
      const session = story.client.attach('s1', SIZE, story.screen);
      story.reattaches(0, 0);
      story.waits(10_000);
      return { story, session };
    }

    it('[U11] detects this within 10 s of a key that is not taken, and its return as soon as it sends anything', () => {
      const { story, session } = watching();
      session.type(new TextEncoder().encode('x'));
      story.waits(2_900);
      expect(story.asked('refresh_sessions')).toEqual([]);
      story.waits(7_000);
      expect(story.asked('refresh_sessions')).toMatchObject([{ session: 's1' }]);
      expect(story.client.agentVerdict).toBe('silent');
      story.prints(0, 'x');
      expect(story.client.agentVerdict).toBe('answering');
    });

    it('[U11] probes when the user returns, and an answer of the relay does not count', () => {
      const { story } = watching();
      story.client.wake();
      expect(story.asked('refresh_sessions')).toHaveLength(1);
      story.agentIs('online');
      story.client.wake();
      story.waits(6_000);
      expect(story.client.agentVerdict).toBe('silent');
      const [{ request } = { request: '' }] = story.asked('refresh_sessions').slice(-1);
      story.says({ type: 'sessions_refreshed', request });
      expect(story.client.agentVerdict).toBe('answering');
    });

    it('[U11] sends no probe while nobody returns and nobody types', () => {
      const { story } = watching();
      story.waits(45_000);
      expect(story.asked('refresh_sessions')).toEqual([]);
      story.agentIs('offline');
      story.client.wake();
      expect(story.asked('refresh_sessions')).toEqual([]);
    });
  });

  it('[CN8] probes the relay after a quiet minute, and dials again if only heartbeats are answered', () => {
    const story = new Story();
    story.connects();
    story.waits(PROVE_AFTER_MS + 8_000);
    const [question, ...more] = story.asked('load_layout');
    expect(question).toBeDefined();
    expect(more).toEqual([]);
    expect(story.network.dials).toBe(1);
    story.waits(3_000);
    story.clock.advance(2_000);
    expect(story.network.dials).toBe(2);
  });

  it('knows how long a cut was, what was lost, and the round trips to relay and agent', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    expect(session.lastResume).toMatchObject({ awayMs: null, missedBytes: 3 });
    expect(story.client.statistics).toEqual({ toRelayMs: null, toAgentMs: null });
    typeInto(session, 'k');
    story.clock.advance(30);
    story.network.latest.send(encodeFrame({ kind: 'ack', channel: 1, handle: HANDLE, offset: 1 }));
    story.client.wake();
    story.clock.advance(12);
    story.network.latest.send('pong');
    expect(story.client.statistics).toEqual({ toRelayMs: 12, toAgentMs: 30 });
    story.agentIs('offline');
    story.clock.advance(1900);
    story.agentIs('online', 2);
    story.clock.advance(100);
    story.reattaches(50, 103, { lost: 47 });
    story.prints(50, 'x'.repeat(53));
    expect(session.lastResume).toEqual({
      missedBytes: 100,
      lostBytes: 47,
      awayMs: 2000,
      tookMs: 100,
      by: 'delta',
      isNewProgram: false,
    });
  });

  it('[CN3] was away since the relay was last heard, not only since that was detected', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    // The path dies silently; a heartbeat detects it 13 s later.
    story.network.latest.goSilent();
    story.clock.advance(13_000);
    expect(story.client.state.name).toBe('waiting');
    story.clock.advance(500);
    story.connects(2);
    story.reattaches(3, 3);
    expect(session.lastResume).toMatchObject({ awayMs: 13_500 });
  });

  it('says of every change whether it is one of the connection or of which session', () => {
    const story = new Story();
    const changes: string[] = [];
    story.client.onChange((change) => changes.push(change.of === 'session' ? change.session : change.of));
    story.connects();
    expect(new Set(changes.splice(0))).toEqual(new Set(['connection']));
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    expect(new Set(changes.splice(0))).toEqual(new Set(['s1']));
    typeInto(session, 'a');
    expect(changes.splice(0)).toEqual(['s1']);
    story.agentIs('offline');
    expect(changes).toEqual(['connection', 's1']);
  });

  it('[RL25] announces that it answers read checks, and sends each mark back', () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ answersReadChecks: true });
    for (const mark of ['first', 'second']) story.says({ type: 'read_check', mark });
    expect(story.asked('read')).toEqual([
      { type: 'read', mark: 'first' },
      { type: 'read', mark: 'second' },
    ]);
  });

  it('[RL11] joins a list of several pages', async () => {
    const story = new Story();
    story.connects();
    const list = story.client.list();
    const { request } = story.asked('list_sessions').at(-1) as { request: string };
    const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
    story.says({ type: 'session_list', request, agent, sessions: [sessionInfo('a')], more: true });
    story.says({ type: 'session_list', request, agent, sessions: [sessionInfo('b')] });
    expect((await list).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it.each([
    ['of sessions', 100],
    ['with endless empty pages', 0],
  ])('[RL11] abandons a list %s that does not end, together with the relay', async (_, perPage) => {
    const story = new Story();
    story.connects();
    const list = story.client.list();
    list.catch(() => {});
    const { request } = story.asked('list_sessions').at(-1) as { request: string };
    const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
    const sessions = Array.from({ length: perPage }, (_, n) => sessionInfo(`s${n}`));
    for (let page = 0; page < 3000 && story.client.state.name === 'live'; page++)
      story.says({ type: 'session_list', request, agent, sessions, more: true });
    expect(story.client.state).toMatchObject({ name: 'refused', code: 4400 });
    await expect(list).rejects.toThrow('connection was lost');
  });

  it('[RL11] [RL14] accepts the longest list of a relay', async () => {
    const story = new Story();
    story.connects();
    const list = story.client.list({ lostToo: true });
    const { request } = story.asked('list_sessions').at(-1) as { request: string };
    const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
    const most = SESSIONS_MAX + 200; // lost, or ended by a rule
    // Split as much as possible.
    for (let n = 1; n <= most; n++)
      story.says({ type: 'session_list', request, agent, sessions: [sessionInfo(`s${n}`)], more: n < most });
    expect(await list).toHaveLength(most);
  });

  it('a session that no longer exists is gone, and is not requested again', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen);
    const request = story.asked('reattach_session')[0]?.request ?? '';
    story.says({ type: 'error', code: 'session_missing', message: 'gone', request, session: 's1' });
    expect(session.state).toEqual({ name: 'gone', code: 'session_missing', why: 'gone' });
    story.agentIs('online', 2);
    expect(story.asked('reattach_session')).toHaveLength(1);
  });

  it('an attach without an agent is repeated when there is one', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen);
    const request = story.asked('reattach_session')[0]?.request ?? '';
    story.says({ type: 'error', code: 'agent_offline', message: 'away', request, session: 's1' });
    expect(session.state.name).toBe('attaching');
    story.agentIs('online', 2);
    expect(story.asked('reattach_session')).toHaveLength(2);
  });

  it('a request that can no longer be answered fails, with a code', async () => {
    const story = new Story();
    story.connects();
    const creating = story.client.create(SIZE);
    story.network.latest.close(1006);
    await expect(creating).rejects.toMatchObject({ code: 'agent_offline' });
  });

  it('a list that comes in pages is one list', async () => {
    const story = new Story();
    story.connects();
    const listing = story.client.list();
    const request = story.asked('list_sessions')[0]?.request ?? '';
    const agent = { state: 'online', since: null, lastSeen: null, epoch: 'epoch-1', generation: 1 } as const;
    story.says({ type: 'session_list', request, agent, sessions: [sessionInfo('a')], more: true });
    story.says({ type: 'session_list', request, agent, sessions: [sessionInfo('b')] });
    expect((await listing).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('a refusal says why and is final', () => {
    const story = new Story();
    story.network.latest.refuse(4401, 'The token has expired.');
    expect(story.client.state).toEqual({ name: 'refused', code: 4401, why: 'The token has expired.' });
    expect(story.clock.pending).toBe(0);
  });
});
