/** The tabs of a window whose agent was restarted, with a scripted relay on an in-memory socket. */
import { describe, expect, it } from 'vitest';
import { decodeFrame } from '../../../../protocol/frame.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { type Story, settled, showing } from './tabs-story.ts';

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
