/** How a window finds and keeps its terminals, with a scripted relay on an in-memory socket. */

import { describe, expect, it } from 'vitest';
import { decodeFrame } from '../../../../protocol/frame.ts';
import { UNDO_WITHIN_MS } from '../../../../web/ui/tabs/closed-tabs.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { build, logs, PlainScreen, Story, settled, showing, WINDOW } from './tabs-story.ts';

describe('a window with its own tabs', () => {
  it('[P16] [P17] shows its tabs before anything is known, and reattaches running sessions, the active one first', async () => {
    const story = new Story([logs, build]);
    expect(story.tabs).toEqual(['[Logs]', 'Build']);
    story.connects();
    await story.lists(sessionInfo('s1', { name: 'Build' }), sessionInfo('s2', { name: 'Logs' }));
    expect(story.asked('reattach_session').map(({ session }) => session)).toEqual(['s2', 's1']);
    expect(story.asked('create_session')).toEqual([]);
    expect(story.asked('load_layout')).toEqual([]);
  });

  it('[P17] [P22] creates sessions in place of those that exited, are lost or do not exist, with names and order kept', async () => {
    const gone = { key: 'c', session: 's3', name: 'Gone' };
    const story = new Story([build, logs, gone]).connects();
    await story.lists(
      sessionInfo('s1', { status: 'exited', exitCode: 0 }),
      sessionInfo('s2', { status: 'lost' }),
    );
    expect(story.asked('create_session')).toMatchObject([
      { name: 'Build', replaces: 's1', ...WINDOW },
      { name: 'Logs', replaces: 's2' },
      { name: 'Gone', replaces: 's3' },
    ]);
    await story.creates(sessionInfo('n1', { name: 'Build' }), 0);
    await story.creates(sessionInfo('n2', { name: 'Logs' }), 1);
    await story.creates(sessionInfo('n3', { name: 'Gone' }), 2);
    expect(story.kept).toEqual([
      { session: 'n1', name: 'Build' },
      { session: 'n2', name: 'Logs' },
      { session: 'n3', name: 'Gone' },
    ]);
  });

  it('[RL15] [M3] says which rule ended the old shell, for each tab when it is shown', async () => {
    const story = new Story([build, logs]).connects();
    await story.lists(
      sessionInfo('s1', { status: 'exited', endedBy: 'orphan_expired' }),
      sessionInfo('s2', { status: 'exited', endedBy: 'evicted' }),
    );
    await story.creates(sessionInfo('n1', { name: 'Build' }), 0);
    await story.creates(sessionInfo('n2', { name: 'Logs' }), 1);
    expect(story.windowTabs.notes.notice).toMatch(
      /^The old shell was ended: nobody was attached for 30 s\.$/,
    );
    story.windowTabs.activate('b');
    expect(story.windowTabs.notes.notice).toMatch(
      /^The old shell was ended: a newer session needed its place\.$/,
    );
    expect(story.asked('list_sessions'), 'what is known is not asked again').toHaveLength(1);
  });

  it('creates nothing while the machine is offline, and continues when it is back', async () => {
    const story = new Story([build]);
    story.network.latest.accept();
    story.agentIs('offline');
    await settled();
    expect(story.tabs).toEqual(['[Build]']);
    expect(story.asked('create_session')).toEqual([]);
    story.agentIs('online');
    expect(story.asked('list_sessions')).toHaveLength(1);
  });

  it('[P20] requests the list once and creates once if the agent reconnects meanwhile', async () => {
    const story = new Story([build]).connects();
    story.agentIs('online'); // sent again, as after its inventory
    expect(story.asked('list_sessions')).toHaveLength(1);
    await story.lists();
    await story.creates(sessionInfo('new'));
    expect(story.asked('create_session')).toHaveLength(1);
    expect(story.asked('reattach_session')).toHaveLength(1);
  });

  it('[P20] asks a newer agent again for what the previous one left unanswered, in the same place', async () => {
    const story = new Story([build]).connects();
    await story.lists();
    story.network.latest.cut();
    await settled();
    story.clock.advance(1_000);
    story.connects();
    await settled();
    expect(story.asked('create_session').map(({ replaces }) => replaces)).toEqual(['s1', 's1']);
  });

  it('waits for its place on the page before it requests a session', async () => {
    const story = new Story([build], { screens: false }).connects();
    await story.lists(sessionInfo('s1'));
    expect(story.asked('reattach_session')).toEqual([]);
    story.windowTabs.showOn('a', new PlainScreen(), WINDOW);
    expect(story.asked('reattach_session')).toMatchObject([{ session: 's1', ...WINDOW }]);
  });

  it('[IN1] keeps input that is typed before there is a terminal, and types it into the new one', async () => {
    const story = new Story([build]).connects();
    story.flow.type(new TextEncoder().encode('ls\n'));
    await story.lists(sessionInfo('s1'));
    await story.reattaches(sessionInfo('s1'));
    const typed = story.network.latest.heard.flatMap((frame) =>
      typeof frame === 'string' ? [] : [decodeFrame(frame)],
    );
    expect(
      typed.filter(({ kind }) => kind === 'input').map(({ payload }) => new TextDecoder().decode(payload)),
    ).toEqual(['ls\n']);
  });
});

describe('a window without tabs', () => {
  it('requests sessions and layout at once; one with tabs requests only the sessions', () => {
    const empty = new Story().connects();
    expect([empty.asked('list_sessions').length, empty.asked('load_layout').length]).toEqual([1, 1]);
    const own = new Story([build]).connects();
    expect([own.asked('list_sessions').length, own.asked('load_layout').length]).toEqual([1, 0]);
  });

  it('has the tabs of the saved layout that still exist, then other running sessions', async () => {
    const story = new Story().connects();
    await story.lists(
      sessionInfo('made-elsewhere', { name: 'Api' }),
      sessionInfo('s1', { name: 'Build' }),
      sessionInfo('s2', { name: 'Logs', status: 'lost' }),
    );
    await story.laysOut({
      tabs: [
        { session: 's2', name: 'Logs' },
        { session: 'closed', name: 'Closed' },
        { session: 's1', name: 'old name' },
      ],
      active: 's1',
    });
    expect(story.tabs).toEqual(['Logs', '[Build]', 'Api']);
    expect(story.asked('reattach_session').map(({ session }) => session)).toEqual(['s1', 'made-elsewhere']);
    expect(story.asked('create_session')).toMatchObject([{ name: 'Logs', replaces: 's2' }]);
  });

  it('[RL15] shows those that a rule ended in their places, as new shells that say why', async () => {
    const story = new Story().connects();
    await story.lists(sessionInfo('s1', { name: 'Build', status: 'exited', endedBy: 'idle' }));
    await story.laysOut({ tabs: [{ session: 's1', name: 'Build' }], active: 's1' });
    await story.creates(sessionInfo('n1', { name: 'Build' }));
    expect(story.tabs).toEqual(['[Build]']);
    expect(story.windowTabs.notes.notice).toMatch(/was ended: it was idle for too long\.$/);
  });

  it('shows the tabs of the registry while the machine is offline', async () => {
    const story = new Story();
    story.network.latest.accept();
    story.agentIs('offline');
    await story.lists(sessionInfo('s1', { name: 'Build' }));
    await story.laysOut(null);
    expect(story.tabs).toEqual(['[Build]']);
    expect(story.asked('reattach_session')).toEqual([]);
    story.agentIs('online');
    await story.lists(sessionInfo('s1', { name: 'Build' }));
    expect(story.asked('reattach_session')).toMatchObject([{ session: 's1' }]);
  });

  it('starts one terminal in the size of the window if nothing is running, and keeps its id', async () => {
    const story = new Story().connects();
    await story.lists();
    await story.laysOut(null);
    expect(story.asked('create_session')).toMatchObject([{ name: 'Terminal 1', ...WINDOW }]);
    await story.creates(sessionInfo('new', { name: 'Terminal 1' }));
    expect(story.asked('reattach_session')).toMatchObject([{ session: 'new' }]);
    expect(story.kept).toEqual([{ session: 'new', name: 'Terminal 1' }]);
  });

  it('says why no session could be created, and tries again on request', async () => {
    const story = new Story().connects();
    await story.lists();
    await story.laysOut(null);
    await story.refuses('create_session', 'session_limit');
    expect(story.flow.state).toMatchObject({ name: 'failed', sentence: 'refused: session_limit' });
    story.windowTabs.newShell(story.windowTabs.list.active ?? '');
    expect(story.asked('create_session')).toHaveLength(2);
  });

  it('says why there are no tabs if the list is refused, and tries again on request', async () => {
    const story = new Story().connects();
    await story.refuses('list_sessions', 'internal');
    expect(story.windowTabs.sessions.trouble).toBe('refused: internal');
    expect(story.asked('list_sessions')).toHaveLength(1);
    story.windowTabs.sessions.retry();
    expect(story.asked('list_sessions')).toHaveLength(2);
    expect(story.windowTabs.sessions.trouble).toBeNull();
  });
});

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
    story.windowTabs.newShell('a');
    story.windowTabs.newShell('a');
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

  it('[U12] [AG13] receives the descriptions of all its tabs while the page is visible, and none while it is hidden', async () => {
    const story = await showing();
    const hides = () =>
      story.asked('hide_session').map(({ session, describe = false }) => [session, describe]);
    expect(story.asked('reattach_session').map(({ describe }) => describe)).toEqual([true, true]);
    story.windowTabs.activate('b');
    expect(hides()).toEqual([['s1', true]]);
    await story.reattaches(sessionInfo('s2', { name: 'Logs' }));
    story.windowTabs.setPageVisible(false);
    expect(hides().slice(1)).toEqual([
      ['s1', false],
      ['s2', false],
    ]);
    story.windowTabs.setPageVisible(true);
    expect(hides().slice(3)).toEqual([['s1', true]]);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ session: 's2', describe: true });
    story.says({ type: 'session_described', session: 's1', title: null, foreground: 'make' });
    expect(story.windowTabs.flow('a')?.session?.description).toEqual({ title: null, foreground: 'make' });
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

describe('a terminal whose agent was restarted', () => {
  const encoder = new TextEncoder();
  const typedBy = (story: Story) =>
    story.network.pairs
      .flatMap(({ heard }) => heard)
      .flatMap((frame) => (typeof frame === 'string' ? [] : [decodeFrame(frame)]))
      .filter(({ kind }) => kind === 'input')
      .map(({ payload }) => new TextDecoder().decode(payload));

  async function withoutItsSession(): Promise<Story> {
    const story = await showing();
    story.agentIs('offline');
    story.flow.type(encoder.encode('make\r'));
    story.agentIs('online', 'epoch-2', 2);
    const question = story.asked('reattach_session').findLast(({ session }) => session === 's1');
    const request = question?.request ?? '';
    story.says({ type: 'error', code: 'session_missing', message: 'gone', request, session: 's1' });
    await settled();
    return story;
  }

  it('[U9] keeps the output of the old shell above a divider, and the new shell prints below it', async () => {
    const story = await withoutItsSession();
    const resets = story.screens.get('a')?.resets;
    await story.creates(sessionInfo('n1', { name: 'Build', epoch: 'epoch-2' }));
    const screen = story.screens.get('a');
    expect(screen?.resets).toBe(resets);
    expect(screen?.dividers).toEqual([
      expect.stringMatching(/^\d\d:\d\d · agent restarted · new shell below$/),
    ]);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ session: 'n1', from: 0 });
    await story.reattaches(sessionInfo('n1', { name: 'Build', epoch: 'epoch-2' }));
    expect(story.screens.get('a')?.dividers).toHaveLength(1);
  });

  it('[U9] says what was typed and not delivered, and types none of it into the new shell', async () => {
    const story = await withoutItsSession();
    story.flow.type(encoder.encode('ls\r'));
    await story.creates(sessionInfo('n1', { name: 'Build', epoch: 'epoch-2' }));
    await story.lists(sessionInfo('s1', { status: 'lost' }));
    await story.reattaches(sessionInfo('n1', { name: 'Build', epoch: 'epoch-2' }));
    expect(story.windowTabs.notes.loss('a')).toEqual({
      sentence: '“Build” is a new shell; the old one and its programs have ended.',
      undelivered: 'make⏎ls⏎',
    });
    expect(typedBy(story)).toEqual([]);
    story.windowTabs.notes.dismissLoss('a');
    expect(story.windowTabs.notes.loss('a')).toBeNull();
  });

  it('[U9] parses everything the old shell printed before it draws the divider', async () => {
    const story = await withoutItsSession();
    const screen = story.screens.get('a');
    if (screen === undefined) throw new Error('no screen');
    screen.isHeld = true;
    await story.creates(sessionInfo('n1', { name: 'Build', epoch: 'epoch-2' }));
    expect(screen.dividers).toEqual([]);
    screen.parses();
    await settled();
    expect(screen.dividers).toHaveLength(1);
  });

  it('[U10] says that the shell is new if its session was restored, and not that nothing was missed', async () => {
    const story = await showing();
    story.agentIs('offline');
    story.flow.type(encoder.encode('make\r'));
    story.agentIs('online', 'epoch-2', 2);
    await story.reattaches(sessionInfo('s1', { name: 'Build', epoch: 'epoch-2' }));
    const sentence = '“Build” is a new shell; the old one and its programs have ended.';
    expect(story.windowTabs.notes.notice).toBe(sentence);
    expect(story.windowTabs.notes.loss('a')).toEqual({ sentence, undelivered: 'make⏎' });
    expect(typedBy(story)).toEqual([]);
  });

  it('[U10] says so for a hidden tab once it is shown', async () => {
    const story = await showing();
    story.agentIs('offline');
    story.agentIs('online', 'epoch-2', 2);
    await story.reattaches(sessionInfo('s2', { name: 'Logs', epoch: 'epoch-2' }));
    story.windowTabs.activate('b');
    await story.reattaches(sessionInfo('s2', { name: 'Logs', epoch: 'epoch-2' }));
    expect(story.windowTabs.notes.loss('b')?.sentence).toMatch(/^“Logs” is a new shell/);
  });

  it('[U10] reports no loss if the same shell is back', async () => {
    const story = await showing();
    story.agentIs('offline');
    story.agentIs('online', 'epoch-1', 2);
    await story.reattaches(sessionInfo('s1', { name: 'Build' }));
    expect(story.windowTabs.notes.loss('a')).toBeNull();
  });

  it('[U1] shows the restored session although its end had been reported', async () => {
    const story = await showing();
    story.says({ type: 'session_exited', session: 's1', exitCode: null, signal: 'SIGHUP', offset: 0 });
    story.agentIs('offline');
    story.agentIs('online', 'epoch-2', 2);
    await settled();
    await story.creates(sessionInfo('s1', { name: 'Build', epoch: 'epoch-2' }));
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ session: 's1' });
    expect(story.screens.get('a')?.dividers, 'its screen comes with the divider').toEqual([]);
  });

  it('[U9] says after reconnecting which input was discarded as too old', async () => {
    const story = await showing();
    story.network.latest.cut();
    story.flow.type(encoder.encode('make\r'));
    story.clock.advance(31_000);
    story.connects();
    await story.reattaches(sessionInfo('s1', { name: 'Build' }));
    expect(story.windowTabs.notes.loss('a')).toMatchObject({ undelivered: 'make⏎' });
  });
});

describe('two tabs that lead to one session', () => {
  it('become one tab', async () => {
    const story = new Story().connects();
    await story.lists(
      sessionInfo('old', { name: 'Build', status: 'exited' }),
      sessionInfo('heir', { name: 'Build' }),
    );
    await story.laysOut({ tabs: [{ session: 'old', name: 'Build' }], active: 'old' });
    await story.creates(sessionInfo('heir', { name: 'Build' }));
    expect(story.tabs).toEqual(['[Build]']);
    expect(new Set(story.asked('reattach_session').map(({ session }) => session))).toEqual(new Set(['heir']));
    expect(story.asked('detach_session')).toEqual([]);
    expect(story.asked('close_session')).toEqual([]);
  });
});

describe('a closed tab', () => {
  it('[AG8] ends its shell a while later, by the agent, and can be reopened until then', async () => {
    const story = await showing();
    story.windowTabs.close('a');
    expect(story.tabs).toEqual(['[Logs]']);
    expect(story.asked('detach_session')).toMatchObject([{ session: 's1' }]);
    expect(story.asked('close_session')).toMatchObject([{ session: 's1', afterMs: UNDO_WITHIN_MS }]);
    story.windowTabs.undoClose();
    await story.lists(sessionInfo('s1', { name: 'Build' }), sessionInfo('s2'));
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ session: 's1' });
  });

  it('cannot be reopened when its time is over', async () => {
    const story = await showing();
    story.windowTabs.close('a');
    story.clock.advance(UNDO_WITHIN_MS);
    expect(story.windowTabs.closed.last).toBeNull();
    story.windowTabs.undoClose();
    expect(story.tabs).toEqual(['[Logs]']);
  });

  it('leaves its session running on request', async () => {
    const story = await showing();
    story.windowTabs.close('a', { keep: true });
    expect(story.asked('close_session')).toEqual([]);
    expect(story.windowTabs.closed.last).toBeNull();
  });

  it('is reported to the agent when that is back, however late', async () => {
    const story = await showing();
    story.agentIs('offline');
    story.windowTabs.close('a');
    story.windowTabs.close('b');
    story.clock.advance(UNDO_WITHIN_MS);
    expect(story.asked('close_session')).toEqual([]);
    story.agentIs('online', 'epoch-1', 2);
    expect(story.asked('close_session').map(({ session }) => session)).toEqual(['s1', 's2']);
  });

  it('that was still being created leaves no shell behind', async () => {
    const story = await showing();
    story.windowTabs.newTerminal();
    story.windowTabs.close(story.windowTabs.list.active ?? '');
    await story.creates(sessionInfo('late'));
    expect(story.asked('close_session')).toMatchObject([{ session: 'late' }]);
  });
});

describe('a new terminal', () => {
  it('comes last, is shown, has a free name, and two requests create one', async () => {
    const story = await showing();
    story.windowTabs.newTerminal();
    expect(story.tabs).toEqual(['Build', 'Logs', '[Terminal 1]']);
    story.network.latest.cut();
    await settled();
    story.clock.advance(1_000);
    story.connects();
    await settled();
    const places = story.asked('create_session').map(({ replaces }) => replaces);
    expect(places).toHaveLength(2);
    expect(new Set(places).size).toBe(1);
  });

  it('is the tab of a session opened from the list, once', async () => {
    const story = await showing();
    story.windowTabs.open(sessionInfo('s3', { name: 'Api' }));
    story.windowTabs.open(sessionInfo('s3', { name: 'Api' }));
    expect(story.tabs).toEqual(['Build', 'Logs', '[Api]']);
    expect(story.asked('reattach_session').filter(({ session }) => session === 's3')).toHaveLength(1);
  });
});

describe('a viewer', () => {
  it('[RL7] watches what runs, reads what ended, and changes nothing', async () => {
    const story = new Story([], { role: 'viewer' }).connects();
    await story.lists(sessionInfo('s1', { name: 'Build' }));
    await story.laysOut(null);
    story.windowTabs.newTerminal();
    story.windowTabs.activate('key-1');
    story.windowTabs.close('key-1');
    story.clock.advance(60_000);
    expect(story.asked('reattach_session')).toMatchObject([{ session: 's1' }]);
    for (const type of ['create_session', 'close_session', 'save_layout', 'rename_session'] as const)
      expect(story.asked(type)).toEqual([]);
  });

  it('loses the tabs of sessions that no longer exist', async () => {
    const story = new Story([build, logs], { role: 'viewer' }).connects();
    await story.lists(sessionInfo('s2', { name: 'Logs', status: 'exited', exitCode: 1 }));
    expect(story.tabs).toEqual(['[Logs]']);
    expect(story.asked('create_session')).toEqual([]);
  });
});

describe('a shell that exits', () => {
  const exit = (session: string, exitCode: number | null = 0, signal: string | null = null) =>
    ({ type: 'session_exited', session, exitCode, signal, offset: 0 }) as const;

  it('[U17] with code 0 closes its tab, visible or not; sessions of others stay in the list', async () => {
    const story = await showing({ closesOnExit: true });
    story.says(exit('s2'));
    expect(story.tabs).toEqual(['[Build]']);
    story.says(exit('s1'));
    expect(story.tabs).toEqual([]);
    story.waits(2 * UNDO_WITHIN_MS);
    expect(story.asked('close_session')).toEqual([]);
    expect(story.asked('create_session')).toEqual([]);
  });

  it('[U17] with code 0 is removed when it cannot be undone, if this window created it', async () => {
    const story = await showing({ closesOnExit: true });
    story.windowTabs.newTerminal();
    await story.creates(sessionInfo('n1', { name: 'Terminal 1' }));
    await story.reattaches(sessionInfo('n1', { name: 'Terminal 1' }));
    story.says(exit('n1'));
    expect(story.tabs).toEqual(['Build', '[Logs]']);
    expect(story.asked('close_session')).toMatchObject([{ session: 'n1', afterMs: UNDO_WITHIN_MS }]);
  });

  it.each([
    { name: 'with an error', exitCode: 1, signal: null },
    { name: 'by a signal', exitCode: null, signal: 'SIGKILL' },
    { name: 'with an unknown code', exitCode: null, signal: null },
  ])('[U17] $name keeps its tab', async ({ exitCode, signal }) => {
    const story = await showing({ closesOnExit: true });
    story.says(exit('s1', exitCode, signal));
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
    expect(story.flow.state.name).toBe('ended');
  });

  it('[U17] keeps its tab if the setting is off, and for viewers', async () => {
    for (const options of [{ closesOnExit: false }, { closesOnExit: true, role: 'viewer' }] as const) {
      const story = await showing(options);
      story.says(exit('s1'));
      expect(story.tabs).toEqual(['[Build]', 'Logs']);
    }
  });

  it('[U17] while the page was disconnected keeps its tab: nobody has seen it end', async () => {
    const story = await showing({ closesOnExit: true });
    story.network.latest.cut();
    story.clock.advance(1_000);
    story.connects();
    await story.reattaches(sessionInfo('s1', { name: 'Build', status: 'exited', exitCode: 0 }));
    story.says(exit('s1'));
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
  });

  it('[U17] and is reopened shows its last screen, and stays', async () => {
    const story = await showing({ closesOnExit: true });
    story.says(exit('s1'));
    story.windowTabs.undoClose();
    const ended = sessionInfo('s1', { name: 'Build', status: 'exited', exitCode: 0 });
    await story.lists(ended, sessionInfo('s2', { name: 'Logs' }));
    await story.reattaches(ended);
    story.says(exit('s1'));
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
    expect(story.flow.state.name).toBe('ended');
    expect(story.asked('create_session')).toEqual([]);
  });

  it('[U17] is replaced by Enter, and by no other key', async () => {
    const story = await showing();
    story.says(exit('s1', 1));
    story.flow.type(new TextEncoder().encode('x'));
    story.flow.type(new TextEncoder().encode('ls\r'));
    expect(story.asked('create_session')).toEqual([]);
    story.flow.type(new TextEncoder().encode('\r'));
    expect(story.asked('create_session')).toMatchObject([{ name: 'Build', replaces: 's1' }]);
    await story.creates(sessionInfo('n1', { name: 'Build' }));
    expect(story.asked('close_session'), 'others made it').toEqual([]);
    await story.reattaches(sessionInfo('n1', { name: 'Build' }));
    story.says(exit('n1', 1));
    story.flow.type(new TextEncoder().encode('\r'));
    await story.creates(sessionInfo('n2', { name: 'Build' }));
    expect(story.asked('close_session'), 'this window made it').toMatchObject([
      { session: 'n1', afterMs: 1 },
    ]);
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
  });
});
