/** Tabs that are closed, by a person or by the exit of their shell, with a scripted relay on an in-memory socket. */
import { describe, expect, it } from 'vitest';
import { ENDED_MAX, UNDO_WITHIN_MS } from '../../../../web/ui/tabs/closed-tabs.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { settled, showing } from './tabs-story.ts';

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

  it('[U40] is a new shell with the name and directory of the old one when that has ended, and says so', async () => {
    const story = await showing();
    story.windowTabs.close('a');
    await story.lists(sessionInfo('s1', { cwd: '/srv/build' }), sessionInfo('s2'));
    expect(story.windowTabs.closed.canReopen).toBe(true);
    story.clock.advance(UNDO_WITHIN_MS);
    expect(story.windowTabs.closed.canReopen).toBe(true);
    story.windowTabs.reopen();
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
    expect(story.asked('create_session').at(-1)).toMatchObject({ name: 'Build', cwd: '/srv/build' });
    expect(story.windowTabs.notes.notice).toBe(
      '“Build” is a new shell in /srv/build. The closed one has ended.',
    );
    expect(story.windowTabs.closed.canReopen).toBe(false);
    story.windowTabs.reopen();
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
  });

  it('[U40] is the shell itself while that has not ended', async () => {
    const story = await showing();
    story.windowTabs.close('a');
    story.windowTabs.reopen();
    await story.lists(sessionInfo('s1', { name: 'Build' }), sessionInfo('s2'));
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ session: 's1' });
    expect(story.asked('create_session')).toEqual([]);
  });

  it('[U40] is remembered with a number of others, the newest first', async () => {
    const story = await showing();
    for (let n = 0; n <= ENDED_MAX; n++) {
      story.windowTabs.newTerminal({ name: `Old ${n}` });
      await story.creates(sessionInfo(`o${n}`, { name: `Old ${n}` }));
      story.windowTabs.close(story.windowTabs.list.active ?? '');
      story.waits(UNDO_WITHIN_MS);
    }
    const reopened = [];
    while (story.windowTabs.closed.canReopen) {
      story.windowTabs.reopen();
      await settled();
      reopened.push(story.tabs.find((name) => name.startsWith('[')));
    }
    expect(reopened).toHaveLength(ENDED_MAX);
    expect([reopened.at(0), reopened.at(-1)]).toEqual([`[Old ${ENDED_MAX}]`, '[Old 1]']);
  });

  it('[U40] comes back with those that were closed together with it', async () => {
    const story = await showing();
    story.windowTabs.close(['a', 'b']);
    expect(story.tabs).toEqual([]);
    expect(story.windowTabs.closed.lastCount).toBe(2);
    story.windowTabs.undoClose();
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
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
    // As the key sends it if the program has died without giving the keyboard back.
    story.flow.type(new TextEncoder().encode('\x1b[13u'));
    await story.creates(sessionInfo('n2', { name: 'Build' }));
    expect(story.asked('close_session'), 'this window made it').toMatchObject([
      { session: 'n1', afterMs: 1 },
    ]);
    expect(story.tabs).toEqual(['[Build]', 'Logs']);
  });
});
