/** The client library against a scripted relay on an in-memory socket. */
import { describe, expect, it } from 'vitest';
import { WorkspaceClient } from '../../client/workspace-client.ts';
import { decodeFrame, encodeFrame, type Frame } from '../../protocol/frame.ts';
import {
  FOLLOW_QUEUE_MAX_BYTES,
  INPUT_RETRY_MS,
  OFFLINE_INPUT_MAX_MS,
  PAYLOAD_MAX_BYTES,
  QUEUED_ITEM_BYTES,
  SCREEN_BEHIND_BYTES,
  SESSIONS_MAX,
} from '../../protocol/limits.ts';
import { PROVE_AFTER_MS } from '../../protocol/link-proof.ts';
import type { ClientMessage } from '../../protocol/messages/client-message.ts';
import type { ServerMessage } from '../../protocol/messages/server-message.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { TextScreen, typeInto } from '../support/headless-client.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { FakeNetwork } from '../support/socket-pair.ts';

const SIZE = { cols: 80, rows: 24 };
const HANDLE = 7;

class Story {
  readonly clock = new FakeClock();
  readonly network = new FakeNetwork();
  readonly client = new WorkspaceClient({
    dial: this.network.dial,
    inflate: async (bytes) => bytes,
    clock: this.clock,
    random: () => 0.5,
    watched: () => true,
    instance: 'page',
  });
  readonly screen = new TextScreen();

  /** The relay accepts the client and reports that the agent is online. */
  connects(generation = 1, state: 'online' | 'offline' = 'online'): void {
    this.network.latest.accept();
    this.agentIs(state, generation);
  }

  agentIs(state: 'online' | 'offline', generation = 1): void {
    this.says({ type: 'agent_state', agent: { state, since: null, epoch: 'epoch-1', generation } });
  }

  /** Time passes, with heartbeats answered. */
  waits(ms: number): void {
    this.network.passes(this.clock, ms);
  }

  says(message: ServerMessage): void {
    this.network.latest.send(JSON.stringify(message));
  }

  prints(offset: number, text: string): void {
    this.network.latest.send(
      encodeFrame({ kind: 'output', channel: 1, handle: HANDLE, offset }, new TextEncoder().encode(text)),
    );
  }

  /** Answers the newest reattach request. */
  reattaches(
    from: number,
    to: number,
    more: { lost?: number; inputOffset?: number; epoch?: string } = {},
  ): void {
    const { lost = 0, inputOffset = 0, epoch = 'epoch-1' } = more;
    const { request } = this.asked('reattach_session').at(-1) as { request: string };
    this.says({
      type: 'session_reattached',
      request,
      session: sessionInfo('s1', { epoch }),
      handle: HANDLE,
      inputOffset,
    });
    this.says({
      type: 'scrollback',
      session: 's1',
      handle: HANDLE,
      kind: 'delta',
      from,
      to,
      lost,
      bytes: 0,
      ...SIZE,
    });
  }

  /** Answers the newest reattach request with a screen; `bytes` is its promised length. */
  sendsScreen(from: number, to: number, picture: string, bytes = picture.length): void {
    const { request } = this.asked('reattach_session').at(-1) as { request: string };
    this.says({
      type: 'session_reattached',
      request,
      session: sessionInfo('s1'),
      handle: HANDLE,
      inputOffset: 0,
    });
    this.says({
      type: 'scrollback',
      session: 's1',
      handle: HANDLE,
      kind: 'snapshot',
      from,
      to,
      lost: 0,
      bytes,
      ...SIZE,
    });
    this.sendsPiece(0, picture);
  }

  sendsPiece(offset: number, picture: string): void {
    this.network.latest.send(
      encodeFrame(
        { kind: 'snapshot', channel: 1, handle: HANDLE, offset },
        new TextEncoder().encode(picture),
      ),
    );
  }

  asked<T extends ClientMessage['type']>(type: T): Extract<ClientMessage, { type: T }>[] {
    const messages = this.network.latest.heard.flatMap((frame) =>
      typeof frame === 'string' && frame !== 'ping' ? [JSON.parse(frame) as ClientMessage] : [],
    );
    return messages.filter((message) => message.type === type) as Extract<ClientMessage, { type: T }>[];
  }

  frames(kind: Frame['kind']): [number, string][] {
    return this.network.latest.heard
      .flatMap((frame) => (typeof frame === 'string' ? [] : [decodeFrame(frame)]))
      .filter((frame) => frame.kind === kind)
      .map((frame) => [frame.offset, new TextDecoder().decode(frame.payload)]);
  }
}

/** A screen that shows nothing until asked to: a terminal whose window does not read. */
class StuckScreen extends TextScreen {
  readonly #unshown: (() => void)[] = [];

  override write(bytes: Uint8Array<ArrayBuffer>, shown: () => void): void {
    this.#unshown.push(() => super.write(bytes, shown));
  }

  goesOn(): void {
    for (const show of this.#unshown.splice(0)) show();
  }
}

describe('a stuck screen', () => {
  const piece = 'x'.repeat(PAYLOAD_MAX_BYTES);
  /** A little more than the limit of a client. */
  const enough = SCREEN_BEHIND_BYTES / PAYLOAD_MAX_BYTES + 1;

  function stuck(text: string, times: number) {
    const story = new Story();
    const screen = new StuckScreen();
    story.connects();
    const session = story.client.attach('s1', SIZE, screen, { isNew: true });
    story.reattaches(0, 0);
    for (let n = 0; n < times; n++) story.prints(n * text.length, text);
    return { story, screen, session };
  }

  it.each([
    ['long frames', piece, enough],
    ['hours of very short ones', 'x', SCREEN_BEHIND_BYTES / QUEUED_ITEM_BYTES + 1],
  ])('[RL23] asks the agent to stop after %s, and for the rest when it continues', (_, text, times) => {
    const { story, screen, session } = stuck(text, times);
    expect(story.asked('hide_session')).toHaveLength(1);
    expect(story.asked('reattach_session')).toHaveLength(1);
    expect([story.client.state.name, session.state.name]).toEqual(['live', 'live']);
    screen.goesOn();
    const end = times * text.length;
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ from: end });
    story.reattaches(end, end + 3);
    story.prints(end, 'end');
    screen.goesOn();
    expect(screen.text).toHaveLength(end + 3);
    expect(story.asked('hide_session')).toHaveLength(1);
  });

  it('[RL23] collects no more with every reconnect', () => {
    const { story, screen, session } = stuck(piece, enough);
    for (let generation = 2; generation < 9; generation++) {
      story.agentIs('offline', generation - 1);
      story.agentIs('online', generation);
    }
    expect(story.asked('reattach_session')).toHaveLength(1);
    expect(session.state.name).toBe('attaching');
    screen.goesOn();
    expect(story.asked('reattach_session')).toHaveLength(2);
    story.reattaches(enough * piece.length, enough * piece.length);
    expect(session.state.name).toBe('live');
  });

  it('[RL23] sends no request when it continues while the machine is offline', () => {
    const { story, screen } = stuck(piece, enough);
    story.agentIs('online', 2);
    story.agentIs('offline', 2);
    screen.goesOn();
    expect(story.asked('reattach_session')).toHaveLength(1);
    story.agentIs('online', 3);
    expect(story.asked('reattach_session')).toHaveLength(2);
  });

  it('[RL23] disconnects from an agent that does not stop', () => {
    const { story } = stuck(piece, FOLLOW_QUEUE_MAX_BYTES / PAYLOAD_MAX_BYTES);
    expect(story.client.state).toMatchObject({ name: 'refused', code: 4400 });
  });
});

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

  it('[OU18] colours that become known during an attach are sent once it is attached, and only once', () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen);
    story.client.setTheme({ background: '#102030' });
    expect(story.asked('resize')).toEqual([]);
    story.reattaches(0, 0);
    expect(story.asked('resize')).toMatchObject([
      { session: 's1', ...SIZE, theme: { background: '#102030' } },
    ]);
    story.client.attach('s1', SIZE, story.screen);
    story.reattaches(0, 0);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ theme: { background: '#102030' } });
    expect(story.asked('resize')).toHaveLength(1);
  });

  it('[OU18] a viewer sends no colours', () => {
    const story = new Story();
    story.network.latest.accept();
    const agent = { state: 'online', since: null, epoch: 'epoch-1', generation: 1 } as const;
    story.says({ type: 'agent_state', agent, role: 'viewer' });
    story.client.attach('s1', SIZE, story.screen);
    story.client.setTheme({ background: '#102030' });
    story.reattaches(0, 0);
    story.client.setTheme({ background: '#405060' });
    expect(story.asked('resize')).toEqual([]);
  });

  it('[P18] attaches, shows the replay, and is live when it is complete', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 5);
    expect(session.state.name).toBe('attaching');
    story.prints(0, 'hello');
    expect(session.state.name).toBe('live');
    expect(story.screen.text).toBe('hello');
  });

  it('[OU18] sends its colours with every window, and when they change; a viewer does not', () => {
    const story = new Story();
    const [dark, light] = [{ background: '#000000' }, { background: '#ffffff' }];
    story.client.setTheme(dark);
    story.connects();
    void story.client.create({ ...SIZE }).catch(() => {});
    story.client.attach('s1', SIZE, story.screen);
    expect(story.asked('create_session')[0]?.theme).toEqual(dark);
    expect(story.asked('reattach_session')[0]?.theme).toEqual(dark);
    story.reattaches(0, 0);
    story.client.setTheme({ ...dark });
    expect(story.asked('resize'), 'nothing new').toEqual([]);
    story.client.setTheme(light);
    expect(story.asked('resize')).toEqual([{ type: 'resize', session: 's1', ...SIZE, theme: light }]);
    story.network.latest.close(1006);
    story.clock.advance(2000);
    story.connects(2);
    expect(story.asked('reattach_session')[0]?.theme).toEqual(light);
    story.reattaches(0, 0);
    story.says({
      type: 'agent_state',
      agent: { state: 'online', since: null, epoch: 'epoch-1', generation: 2 },
      role: 'viewer',
    });
    story.reattaches(0, 0);
    story.client.setTheme(dark);
    expect(story.asked('resize')).toEqual([]);
  });

  it('[OU2] requests the rest after a gap, and shows nothing until it arrives', () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    story.prints(0, 'abc');
    story.prints(5, 'fg');
    story.prints(7, 'hi');
    expect(story.screen.text).toBe('abc');
    expect(story.asked('reattach_session').map(({ from }) => from)).toEqual([0, 3]);
    story.reattaches(3, 9);
    story.prints(3, 'defghi');
    expect(story.screen.text).toBe('abcdefghi');
    expect(story.screen.resets).toBe(0);
  });

  it('[OU1] resumes after a reconnect with its offset; the screen does not change', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    story.network.latest.close(1006);
    expect(session.state.name).toBe('attaching');
    expect(story.client.state).toMatchObject({ name: 'waiting' });
    story.clock.advance(1000);
    story.connects(1);
    expect(story.asked('reattach_session')).toMatchObject([{ from: 3, epoch: 'epoch-1', instance: 'page' }]);
    story.reattaches(3, 6);
    story.prints(3, 'def');
    expect(story.screen.text).toBe('abcdef');
    expect(story.screen.resets).toBe(0);
  });

  it('[RL4] treats a new agent link as a reconnect although its own socket never closed', () => {
    const story = new Story();
    story.connects(1);
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    typeInto(session, 'key');
    story.agentIs('offline', 1);
    expect(session.state.name).toBe('attaching');
    story.agentIs('online', 2);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ from: 3 });
    story.reattaches(3, 3);
    expect(story.frames('input')).toEqual([
      [0, 'key'],
      [0, 'key'],
    ]);
  });

  it('[OU8] shows a snapshot whole and at its size, then what followed it, and is live then', async () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen);
    expect(story.asked('reattach_session')[0]).not.toHaveProperty('from');
    story.sendsScreen(100, 103, 'picture');
    story.prints(100, 'abc');
    expect(session.state.name).toBe('attaching');
    expect(story.screen.text).toBe('');
    await story.screen.sees(/abc/);
    expect(story.screen.text).toBe('pictureabc');
    expect(story.screen.size).toEqual(SIZE);
    expect(session.state.name).toBe('live');
    story.prints(103, 'd');
    expect(story.screen.text).toBe('pictureabcd');
  });

  it('[OU8] that is cut off during a snapshot requests the screen again', async () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    story.agentIs('online', 2);
    story.sendsScreen(100, 100, 'half', 50);
    story.agentIs('online', 3);
    expect(story.asked('reattach_session').at(-1)).not.toHaveProperty('from');
    story.sendsScreen(200, 200, 'whole');
    await story.screen.sees(/whole/);
    expect(story.screen.text).toBe('whole');
  });

  it('[OU8] ends the connection for an inconsistent snapshot', () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen);
    story.sendsScreen(0, 0, 'piece', 99);
    story.sendsPiece(77, 'out of place');
    expect(story.client.state).toMatchObject({ name: 'refused', code: 4400 });
  });

  it('[OU3] restarts the screen if bytes are gone, and knows how many', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    story.agentIs('online', 2);
    story.reattaches(100, 103, { lost: 97 });
    story.prints(100, 'xyz');
    expect(story.screen.text).toBe('xyz');
    expect(session.lostBytes).toBe(97);
  });

  it('[OU15] shows the screen first; the history replaces it with all later output, and is no return of its own', async () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { history: 'later' });
    expect(story.asked('reattach_session')).toMatchObject([{ history: 'later' }]);
    story.sendsScreen(100, 100, 'screen');
    await story.screen.sees(/screen/);
    story.prints(100, ' and more');
    const resume = session.lastResume;
    const picture = 'history screen and';
    story.says({
      type: 'scrollback',
      session: 's1',
      handle: HANDLE,
      kind: 'snapshot',
      from: 104,
      to: 109,
      lost: 0,
      bytes: picture.length,
      history: true,
      ...SIZE,
    });
    story.sendsPiece(0, picture);
    story.prints(104, ' more');
    story.prints(109, '!');
    await story.screen.sees(/!/);
    expect(story.screen.text).toBe('history screen and more!');
    expect(session.state.name).toBe('live');
    expect(session.lastResume).toBe(resume);
  });

  it('[OU13] ignores what was in flight when a session was hidden and shown again', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    session.setVisible(false);
    story.prints(3, 'def');
    session.setVisible(true);
    story.prints(6, 'ghi');
    expect(story.screen.text).toBe('abc');
    story.reattaches(3, 9);
    story.prints(3, 'defghi');
    expect(story.screen.text).toBe('abcdefghi');
    expect(story.asked('reattach_session')).toHaveLength(2);
  });

  it('[OU13] hides a session that is not visible, knows what happened meanwhile, and catches up without a break', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    const states: string[] = [];
    session.onChange(() => states.push(`${session.state.name} ${session.unseen}`));
    session.setVisible(false);
    expect(story.asked('hide_session')).toHaveLength(1);
    story.says({ type: 'session_activity', session: 's1', bell: true });
    story.says({ type: 'session_activity', session: 's1', bell: false });
    story.clock.advance(1000);
    session.setVisible(true);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ from: 3 });
    story.clock.advance(20);
    story.reattaches(3, 6);
    story.prints(3, 'def');
    expect(story.screen.text).toBe('abcdef');
    expect(states.filter((state, at) => state !== states[at - 1])).toEqual([
      'live nothing',
      'live bell',
      'live nothing',
    ]);
    expect(session.lastResume).toEqual({
      missedBytes: 3,
      lostBytes: 0,
      awayMs: 1020,
      tookMs: 20,
      by: 'delta',
      isNewProgram: false,
    });
  });

  it('[OU13] attaches hidden, also after a reconnect, and says so', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isVisible: false });
    expect(story.asked('reattach_session')).toMatchObject([{ hidden: true }]);
    const { request } = story.asked('reattach_session').at(-1) as { request: string };
    story.says({
      type: 'session_reattached',
      request,
      session: sessionInfo('s1'),
      handle: HANDLE,
      inputOffset: 0,
    });
    expect(session.state.name).toBe('live');
    session.resize({ cols: 10, rows: 5 });
    expect(story.asked('resize')).toEqual([]);
    story.agentIs('online', 2);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ hidden: true, cols: 10, rows: 5 });
  });

  it('[OU13] requests again if it is shown or hidden before the answer', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true, isVisible: false });
    session.setVisible(true);
    expect(story.asked('reattach_session').at(-1)).not.toHaveProperty('hidden');
    session.setVisible(false);
    expect(story.asked('reattach_session').at(-1)).toHaveProperty('hidden', true);
    session.setVisible(true);
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    expect(story.screen.text).toBe('abc');
    expect(session.state.name).toBe('live');
  });

  it('[OU8] ignores an announcement from before it requested again', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    session.setVisible(false);
    session.setVisible(true);
    const announced = { type: 'scrollback', session: 's1', handle: HANDLE, lost: 0, ...SIZE } as const;
    story.says({ ...announced, kind: 'snapshot', from: 9, to: 9, bytes: 2 });
    story.reattaches(3, 6);
    story.prints(3, 'def');
    expect(story.screen.text).toBe('abcdef');
    expect(session.state.name).toBe('live');
  });

  it('[OU2] requests the screen from another life of the agent until it has it', () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 3);
    story.prints(0, 'abc');
    story.agentIs('online', 2);
    const { request } = story.asked('reattach_session').at(-1) as { request: string };
    const session = sessionInfo('s1', { epoch: 'epoch-2' });
    story.says({ type: 'session_reattached', request, session, handle: HANDLE, inputOffset: 0 });
    // Cut off before the screen comes: three bytes of the old life say nothing about the new one.
    story.agentIs('online', 3);
    expect(story.asked('reattach_session').at(-1)).not.toHaveProperty('from');
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

  it('[IN4] types nothing old into another life of the agent', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    story.agentIs('offline');
    typeInto(session, 'rm -rf build\n');
    expect(session.unsentBytes).toBe(13);
    story.agentIs('online', 2);
    story.reattaches(0, 0, { epoch: 'epoch-2' });
    expect(story.frames('input')).toEqual([]);
    expect(session.unsentBytes).toBe(0);
  });

  it('[IN7] keeps input while disconnected for half a minute and a few lines, then discards it and reports that', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    typeInto(session, 'sent');
    story.agentIs('offline');
    typeInto(session, 'stale');
    expect(session.type(new Uint8Array(5000))).toBe(false);
    expect(session.unsentBytes).toBe(9);
    story.waits(OFFLINE_INPUT_MAX_MS - 1);
    expect(session.unsentBytes).toBe(9);
    story.clock.advance(1);
    expect(session.unsentBytes).toBe(4);
    expect(session.discardedBytes).toBe(5005);
    story.agentIs('online', 2);
    story.reattaches(0, 0);
    expect(story.frames('input')).toEqual([
      [0, 'sent'],
      [0, 'sent'],
    ]);
  });

  it('[IN7] delivers input typed during a short cut, and discards nothing later', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    story.agentIs('offline');
    typeInto(session, 'soon');
    story.clock.advance(5000);
    story.agentIs('online', 2);
    story.reattaches(0, 0);
    story.waits(OFFLINE_INPUT_MAX_MS);
    expect(story.frames('input')).toEqual([[0, 'soon']]);
    expect(session.discardedBytes).toBe(0);
  });

  it.each(['input_backlog', 'input_hole'] as const)(
    '[IN6] sends input refused with %s again from the offset that the agent has',
    (code) => {
      const story = new Story();
      story.connects();
      const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
      story.reattaches(0, 0);
      typeInto(session, 'abcdef');
      story.says({ type: 'error', code, message: 'later', session: 's1' });
      story.says({ type: 'error', code, message: 'later', session: 's1' });
      story.clock.advance(INPUT_RETRY_MS);
      expect(story.asked('reattach_session')).toHaveLength(2);
      story.reattaches(0, 0, { inputOffset: 2 });
      expect(story.frames('input')).toEqual([
        [0, 'abcdef'],
        [2, 'cdef'],
      ]);
    },
  );

  it('[IN1] keeps input that is typed before the session is attached, and sends it then', () => {
    const story = new Story();
    const session = story.client.attach('s1', SIZE, story.screen);
    typeInto(session, 'ls\n');
    story.connects();
    story.reattaches(0, 0);
    expect(story.frames('input')).toEqual([[0, 'ls\n']]);
  });

  it('[IN1] attached again by the same page, continues counting where the instance was', () => {
    const story = new Story();
    story.connects();
    typeInto(story.client.attach('s1', SIZE, story.screen), 'early');
    story.reattaches(0, 0);
    story.client.detach('s1');
    const again = story.client.attach('s1', SIZE, story.screen);
    typeInto(again, 'a');
    story.reattaches(0, 0, { inputOffset: 5 });
    typeInto(again, 'b');
    expect(story.frames('input')).toEqual([
      [0, 'early'],
      [5, 'a'],
      [6, 'b'],
    ]);
  });

  it('[OU4] acknowledges output that has been shown', () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    story.prints(0, 'abc');
    story.clock.advance(50);
    expect(story.frames('ack')).toEqual([[3, '']]);
  });

  it('[RL12] holds keys back while the relay asks for it, in order, and sends them at its pace', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen);
    story.reattaches(0, 0);
    const type = (text: string) => session.type(new TextEncoder().encode(text));
    type('a');
    story.says({ type: 'error', code: 'slow_down', message: 'Too fast.', retryAfterMs: 250 });
    for (let i = 0; i < 600; i++) type('b');
    story.clock.advance(249);
    expect(story.frames('input')).toEqual([[0, 'a']]);
    story.clock.advance(1);
    expect(story.frames('input')).toHaveLength(501);
    story.clock.advance(500);
    expect(story.frames('input').map(([offset]) => offset)).toEqual(Array.from({ length: 601 }, (_, i) => i));
  });

  it('[RL12] forgets what was held back when the connection ends: it is sent again by offset', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen);
    story.reattaches(0, 0);
    story.says({ type: 'error', code: 'slow_down', message: 'Too fast.', retryAfterMs: 60_000 });
    session.type(new TextEncoder().encode('ls'));
    story.network.latest.cut();
    story.clock.advance(2_000);
    story.connects();
    story.reattaches(0, 0);
    expect(story.frames('input')).toEqual([[0, 'ls']]);
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

  it('[P5] [OU6] shows an exit only after the last byte', () => {
    const story = new Story();
    story.connects();
    const session = story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    story.says({ type: 'session_exited', session: 's1', exitCode: 3, signal: null, offset: 4 });
    expect(session.state.name).toBe('live');
    story.prints(0, 'bye\n');
    expect(session.state).toEqual({ name: 'exited', exitCode: 3, signal: null });
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
