/** How a window keeps its terminals, with a scripted relay on an in-memory socket. */
import { describe, expect, it } from 'vitest';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { PlainScreen, settled, showing, WINDOW } from './tabs-story.ts';

describe('a window with terminals', () => {
  it('[P21] reattaches the same sessions after a lost connection, on the same screens', async () => {
    const story = await showing();
    const screens = [...story.screens.values()];
    const resets = screens.map(({ resets }) => resets);
    story.network.latest.cut();
    story.clock.advance(1_000);
    story.connects();
    await story.reattaches(sessionInfo('s1'));
    expect(story.asked('list_sessions')).toHaveLength(1);
    expect(story.flow.state).toMatchObject({ name: 'attached', seen: 'live' });
    expect([...story.screens.values()]).toEqual(screens);
    expect(screens.map(({ resets }) => resets)).toEqual(resets);
  });

  it('[P26] gets new shells with the same names and order if the agent came back without the old ones', async () => {
    const story = await showing();
    story.agentIs('offline');
    story.agentIs('online', 'epoch-2', 2);
    for (const id of ['s1', 's2']) {
      const [question] = story
        .asked('reattach_session')
        .filter(({ session }) => session === id)
        .slice(-1);
      story.says({
        type: 'error',
        code: 'session_missing',
        message: 'gone',
        request: question?.request ?? '',
        session: id,
      });
    }
    await settled();
    expect(story.asked('create_session')).toMatchObject([
      { name: 'Build', replaces: 's1' },
      { name: 'Logs', replaces: 's2' },
    ]);
    await story.creates(sessionInfo('n1', { name: 'Build', epoch: 'epoch-2' }), 0);
    await story.creates(sessionInfo('n2', { name: 'Logs', epoch: 'epoch-2' }), 1);
    expect(story.kept).toEqual([
      { session: 'n1', name: 'Build' },
      { session: 'n2', name: 'Logs' },
    ]);
    await story.lists(
      sessionInfo('s1', { status: 'lost' }),
      sessionInfo('s2', { status: 'exited', endedBy: 'idle' }),
    );
    expect(story.windowTabs.notes.notice).toMatch(
      /^“Build” is a new shell; the old one and its programs have ended\.$/,
    );
    story.windowTabs.activate('b');
    expect(story.windowTabs.notes.notice).toMatch(/^The old shell was ended: it was idle/);
    expect(story.asked('list_sessions'), 'once for both').toHaveLength(2);
  });

  it('[RL15] says which rule ended its shell if it was disconnected that long', async () => {
    const story = await showing();
    story.network.latest.cut();
    story.clock.advance(1_000);
    story.connects();
    await story.refuses('reattach_session', 'session_missing');
    await story.creates(sessionInfo('n2', { name: 'Logs' }));
    expect(story.asked('reattach_session').at(-1), 'the terminal does not wait for it').toMatchObject({
      session: 'n2',
    });
    await story.lists(sessionInfo('s2', { status: 'exited', endedBy: 'orphan_expired' }));
    story.windowTabs.activate('b');
    expect(story.windowTabs.notes.notice).toMatch(/was ended: nobody was attached for 30 s\.$/);
  });

  it('[P26] says that the shell is new even if the reason is unknown', async () => {
    const story = await showing();
    story.windowTabs.activate('b');
    story.network.latest.cut();
    story.clock.advance(1_000);
    story.connects();
    await story.refuses('reattach_session', 'session_missing');
    await story.creates(sessionInfo('n2', { name: 'Logs' }));
    await story.refuses('list_sessions', 'internal');
    expect(story.windowTabs.notes.notice).toMatch(
      /^“Logs” is a new shell; the old one and its programs have ended\.$/,
    );
  });

  it('shows how a shell ended, and starts another in its place only on request', async () => {
    const story = await showing();
    story.says({ type: 'session_exited', session: 's1', exitCode: 3, signal: null, offset: 0 });
    expect(story.flow.state).toMatchObject({ name: 'ended', sentence: 'The shell has ended (exit code 3).' });
    await settled();
    expect(story.asked('create_session')).toEqual([]);
    story.windowTabs.flow('a')?.newShell();
    story.windowTabs.flow('a')?.newShell();
    expect(story.asked('create_session')).toMatchObject([{ name: 'Build', replaces: 's1' }]);
  });

  it('[P26] gets a new one after an agent that ended its shells before it stopped', async () => {
    const story = await showing();
    story.says({ type: 'session_exited', session: 's1', exitCode: null, signal: 'SIGHUP', offset: 0 });
    story.agentIs('offline');
    story.agentIs('online', 'epoch-2', 2);
    await settled();
    expect(story.asked('create_session')).toMatchObject([{ name: 'Build', replaces: 's1' }]);
  });

  it('starts nothing if somebody closes the session while it is shown', async () => {
    const story = await showing();
    story.says({ type: 'session_closed', session: 's1', reason: 'closed' });
    await settled();
    expect(story.flow.state).toMatchObject({
      name: 'ended',
      sentence: 'This terminal was closed elsewhere.',
    });
    expect(story.asked('create_session')).toEqual([]);
  });

  it.each([true, false])(
    '[AG5] [M3] says which rule ends the session while it is shown (its end is reported before: %s)',
    async (isTold) => {
      const story = await showing();
      if (isTold)
        story.says({ type: 'session_exited', session: 's1', exitCode: null, signal: 'SIGHUP', offset: 0 });
      story.says({ type: 'session_closed', session: 's1', reason: 'idle' });
      expect(story.flow.state).toMatchObject({
        name: 'ended',
        sentence: 'The shell was ended: it was idle for too long.',
      });
      expect(story.asked('create_session')).toEqual([]);
    },
  );

  it('leaves the size of a live terminal to the agent, and sets it itself otherwise', async () => {
    const story = await showing();
    story.flow.fitted({ cols: 60, rows: 20 });
    expect(story.asked('resize')).toMatchObject([{ session: 's1', cols: 60, rows: 20 }]);
    expect(story.screens.get('a')?.size).toEqual(WINDOW);
    story.network.latest.cut();
    story.flow.fitted({ cols: 50, rows: 10 });
    expect(story.screens.get('a')?.size).toEqual({ cols: 50, rows: 10 });
  });

  it('leaves its sessions running when it is closed', async () => {
    const story = await showing();
    story.windowTabs.stop();
    expect(story.asked('detach_session').map(({ session }) => session)).toEqual(['s1', 's2']);
    expect(story.asked('close_session')).toEqual([]);
  });

  it('shows a name set in another window, and sends its own to the agent', async () => {
    const story = await showing();
    story.says({ type: 'session_renamed', session: 's2', name: 'Access log' });
    expect(story.tabs).toEqual(['[Build]', 'Access log']);
    story.windowTabs.rename('a', '  Compile ');
    expect(story.asked('rename_session')).toMatchObject([{ session: 's1', name: 'Compile' }]);
    story.windowTabs.rename('a', '   ');
    expect(story.asked('rename_session')).toHaveLength(1);
    expect(story.kept).toMatchObject([{ name: 'Compile' }, { name: 'Access log' }]);
  });

  it('saves its tabs for other browsers when the user changes them, once for a burst of changes', async () => {
    const story = await showing();
    story.clock.advance(10_000);
    expect(story.asked('save_layout'), 'coming back changes nothing').toEqual([]);
    story.windowTabs.moveBy('a', 1);
    story.windowTabs.activate('b');
    story.clock.advance(1_000);
    expect(story.asked('save_layout')).toMatchObject([
      { layout: { tabs: [{ session: 's2' }, { session: 's1' }], active: 's2' } },
    ]);
  });

  it('[OU13] shows one terminal at a time, and none while the page is hidden', async () => {
    const story = await showing();
    expect(story.asked('reattach_session').map(({ session, hidden }) => [session, hidden ?? false])).toEqual([
      ['s1', false],
      ['s2', true],
    ]);
    story.windowTabs.activate('b');
    expect(story.asked('hide_session').map(({ session }) => session)).toEqual(['s1']);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ session: 's2' });
    await story.reattaches(sessionInfo('s2', { name: 'Logs' }));
    story.windowTabs.setPageVisible(false);
    expect(story.asked('hide_session').map(({ session }) => session)).toEqual(['s1', 's1', 's2']);
    story.windowTabs.setPageVisible(true);
    expect(story.asked('reattach_session')).toHaveLength(4);
  });

  it('[U12] [AG13] receives the descriptions of all its tabs while the page is visible, and only attention while it is hidden', async () => {
    const story = await showing();
    const hides = () =>
      story
        .asked('hide_session')
        .map(({ session, describe, onlyAttention }) => [
          session,
          onlyAttention === true ? 'attention' : describe,
        ]);
    expect(story.asked('reattach_session').map(({ describe }) => describe)).toEqual([true, true]);
    story.windowTabs.activate('b');
    expect(hides()).toEqual([['s1', true]]);
    await story.reattaches(sessionInfo('s2', { name: 'Logs' }));
    story.windowTabs.setPageVisible(false);
    expect(hides().slice(1)).toEqual([
      ['s1', 'attention'],
      ['s2', 'attention'],
    ]);
    story.windowTabs.setPageVisible(true);
    expect(hides().slice(3)).toEqual([['s1', true]]);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ session: 's2', describe: true });
    story.says({ type: 'session_described', session: 's1', title: null, foreground: 'make' });
    expect(story.windowTabs.flow('a')?.session?.description).toEqual({ title: null, foreground: 'make' });
  });

  it('[T4] [AG13] receives the progress that its title shows while the page is hidden, until it ends', async () => {
    const story = await showing();
    const hides = () =>
      story
        .asked('hide_session')
        .map(({ session, describe, onlyAttention }) => [
          session,
          onlyAttention === true ? 'attention' : describe,
        ]);
    const says = (session: string, percent?: number) =>
      story.says({
        type: 'session_described',
        session,
        title: null,
        foreground: 'make',
        ...(percent === undefined ? {} : { progress: { state: 'running', percent } }),
      });
    says('s1', 1);
    says('s2', 1);
    const before = hides().length;
    story.windowTabs.setPageVisible(false);
    says('s1', 2);
    expect(hides().slice(before)).toEqual([
      ['s1', true],
      ['s2', 'attention'],
    ]);
    expect(story.flow.session?.description?.progress).toEqual({ state: 'running', percent: 2 });
    says('s1');
    expect(hides().slice(before + 2)).toEqual([['s1', 'attention']]);
  });

  it('reports bells and titles of live output only, not of the replay', async () => {
    const story = await showing();
    expect(story.flow.isHappening).toBe(true);
    story.windowTabs.activate('b');
    const screen = story.screens.get('b') ?? new PlainScreen();
    screen.isHeld = true;
    await story.reattaches(sessionInfo('s2', { name: 'Logs' }));
    expect(story.flow.isHappening, 'all of it has arrived, but nothing is parsed').toBe(false);
    screen.parses();
    expect(story.flow.isHappening).toBe(true);
    story.network.latest.cut();
    expect(story.flow.isHappening).toBe(false);
  });

  it('reports focus to a program while it drives, and while its output is live', async () => {
    const story = await showing();
    expect(story.flow.reportsFocus).toBe(false);
    story.says({ type: 'session_driver', session: 's1', yours: true });
    expect(story.flow.reportsFocus).toBe(true);
    story.says({ type: 'session_driver', session: 's1', yours: false });
    expect(story.flow.reportsFocus).toBe(false);
    story.says({ type: 'session_driver', session: 's1', yours: true });
    story.network.latest.cut();
    expect(story.flow.reportsFocus).toBe(false);
  });

  it('says for a while what was caught up, and nothing when tabs are switched', async () => {
    const story = await showing();
    story.windowTabs.activate('b');
    await story.reattaches(sessionInfo('s2', { name: 'Logs' }));
    expect(story.windowTabs.notes.notice).toBe('');
    story.clock.advance(5_000);
    story.network.latest.cut();
    story.clock.advance(12_000);
    story.connects();
    await story.reattaches(sessionInfo('s2', { name: 'Logs' }));
    expect(story.windowTabs.notes.notice).toMatch(/^Back after \d+ s: nothing missed\.$/);
    await story.reattaches(sessionInfo('s1', { name: 'Build' }));
    story.waits(60_000);
    expect(story.windowTabs.notes.notice).toBe('');
    story.windowTabs.activate('a');
    await story.reattaches(sessionInfo('s1', { name: 'Build' }));
    expect(story.windowTabs.notes.notice).toBe('');
  });
});
