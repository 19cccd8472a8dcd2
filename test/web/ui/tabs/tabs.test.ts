/** How a window finds its terminals, with a scripted relay on an in-memory socket. */
import { describe, expect, it } from 'vitest';
import { decodeFrame } from '../../../../protocol/frame.ts';
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
    story.windowTabs.flow(story.windowTabs.list.active ?? '')?.newShell();
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

describe('a new terminal', () => {
  it('comes last, is shown, has a free name, and two requests create one', async () => {
    const story = await showing();
    story.windowTabs.newTerminal({ cwd: '/srv/app' });
    expect(story.tabs).toEqual(['Build', 'Logs', '[Terminal 1]']);
    story.network.latest.cut();
    await settled();
    story.clock.advance(1_000);
    story.connects();
    await settled();
    const places = story.asked('create_session').map(({ replaces }) => replaces);
    expect(places).toHaveLength(2);
    expect(new Set(places).size).toBe(1);
    expect(story.asked('create_session').map(({ cwd }) => cwd)).toEqual(['/srv/app', '/srv/app']);
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
