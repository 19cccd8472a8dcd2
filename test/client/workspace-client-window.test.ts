/** The client library against a scripted relay on an in-memory socket: whether its window is visible, and its colours. */
import { describe, expect, it } from 'vitest';
import { sessionInfo } from '../support/scripted-session.ts';
import { HANDLE, SIZE, Story } from './client-story.ts';

describe('who watches a session', () => {
  const anna = { name: 'Anna', role: 'operator' } as const;

  it('[PP3] is asked for with every attach, if at all, and forgotten with the connection', () => {
    const story = new Story({ asksPeople: true });
    story.connects();
    story.client.attach('s1', SIZE, story.screen);
    expect(story.asked('reattach_session')[0]?.people).toBe(true);
    const changed: string[] = [];
    story.client.onChange((change) => change.of === 'people' && changed.push(change.session));
    story.says({ type: 'session_people', session: 's2', people: [anna] });
    expect([changed, story.client.people.of('s2'), story.client.people.of('s1')]).toEqual([
      ['s2'],
      [anna],
      [],
    ]);
    story.says({ type: 'session_people', session: 's2', people: [] });
    expect(story.client.people.of('s2')).toEqual([]);
    story.says({ type: 'session_people', session: 's1', people: [anna] });
    story.network.latest.close(1006);
    expect([changed, story.client.people.of('s1')]).toEqual([['s2', 's2', 's1', 's1'], []]);
  });

  it('[PP3] is not asked for by other clients', () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen);
    expect(story.asked('reattach_session')[0]).not.toHaveProperty('people');
  });
});

describe('the client', () => {
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
});
