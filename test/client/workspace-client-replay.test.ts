/** The client library against a scripted relay on an in-memory socket: attaching, replays and snapshots. */
import { describe, expect, it } from 'vitest';
import { sessionInfo } from '../support/scripted-session.ts';
import { typeInto } from '../support/type-into.ts';
import { HANDLE, SIZE, Story } from './client-story.ts';

describe('the client', () => {
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

  it('[OU4] acknowledges output that has been shown', () => {
    const story = new Story();
    story.connects();
    story.client.attach('s1', SIZE, story.screen, { isNew: true });
    story.reattaches(0, 0);
    story.prints(0, 'abc');
    story.clock.advance(50);
    expect(story.frames('ack')).toEqual([[3, '']]);
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
});
