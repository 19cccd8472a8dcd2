/** How often the view of the page is computed, and what of it stays the same object. */
import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../../protocol/frame.ts';
import { NOTHING_STICKS } from '../../../../web/ui/view/sticky-keys.ts';
import { TabsViewStore } from '../../../../web/ui/view/tabs-view-store.ts';
import type { TerminalViews } from '../../../../web/ui/view/terminal-views.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { build, logs, type Story, settled, showing } from '../tabs/tabs-story.ts';

const A = new TextEncoder().encode('a');

/** A page with two live terminals, the first of them active, whose view is watched. */
async function watched(changeStory: (story: Story) => void = () => {}) {
  const story = await showing();
  changeStory(story);
  await settled();
  const computed: string[] = [];
  let pages = 0;
  const listeners = new Set<(change: { of: 'page' }) => void>();
  const views = {
    input: { question: null, sticky: NOTHING_STICKS },
    menu: null as { x: number; y: number } | null,
    tapped: null,
    marks: { tip: null, menu: null },
    // The view of the page asks for this, once.
    get link() {
      pages++;
      return null;
    },
    // The view of a tab asks for its screen, once.
    screen: (key: string) => void computed.push(key),
    onChange: (listener: (change: { of: 'page' }) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const { client, windowTabs } = story;
  const store = new TabsViewStore({ client, windowTabs, views: views as unknown as TerminalViews });
  let renders = 0;
  const stop = store.subscribe(() => renders++);
  computed.length = 0;
  pages = 0;
  return {
    story,
    store,
    stop,
    views,
    viewsChanged: () => {
      for (const listener of listeners) listener({ of: 'page' });
    },
    /** The tabs whose views were computed since this was last asked. */
    computed: () => computed.splice(0),
    /** How often the rest of the view was computed. */
    pages: () => pages,
    renders: () => renders,
    marker: (index: number) => store.current().tabs[index]?.marker,
  };
}

/** The program in `session` takes the first `offset` bytes that were typed. */
function takes(story: Story, session: string, offset: number): void {
  const handle = story.windowTabs.list.tabs
    .map(({ key }) => story.windowTabs.flow(key)?.session)
    .find((found) => found?.id === session)?.handle;
  story.network.latest.send(encodeFrame({ kind: 'ack', channel: 0, handle: handle ?? 0, offset }));
}

describe('the view of the page', () => {
  it('is computed for no tab when a key is typed into a live terminal and taken', async () => {
    const { computed, pages, renders, story } = await watched();
    story.flow.type(A);
    await settled();
    takes(story, 's1', 1);
    await settled();
    expect(story.flow.session?.unsentBytes).toBe(0);
    expect([computed(), pages(), renders()]).toEqual([[], 1, 1]); // the round trip that the key has measured
    story.flow.type(A);
    takes(story, 's1', 2);
    await settled();
    expect([computed(), pages(), renders()]).toEqual([[], 1, 1]);
  });

  it('is computed once, for one tab, when keys are typed while it reconnects', async () => {
    const { computed, story, store } = await watched((story) => story.agentIs('offline'));
    const [, other] = store.current().tabs;
    story.flow.type(A);
    story.flow.type(A);
    expect(computed()).toEqual([]);
    await settled();
    expect(computed()).toEqual([build.key]);
    expect(store.current().active?.cover).toMatchObject({ kind: 'waiting', unsent: 'aa' });
    expect(store.current().tabs[1]).toBe(other);
  });

  it('is computed once, for one tab, when a program does not read', async () => {
    const { computed, story, store } = await watched();
    story.flow.type(A);
    story.waits(2_999);
    await settled();
    computed();
    story.clock.advance(1);
    await settled();
    // Whether the machine answers is asked, and concerns all tabs.
    expect(new Set(computed())).toEqual(new Set([build.key, logs.key]));
    expect(store.current().active?.late).toBe('a');
    story.flow.type(A);
    await settled();
    expect([computed(), store.current().active?.late]).toEqual([[build.key], 'aa']);
    takes(story, 's1', 2);
    await settled();
    expect(store.current().active?.late).toBe('');
  });

  it('is computed for the tab in which something happens', async () => {
    const { computed, marker, renders, story } = await watched();
    const before = renders();
    story.says({ type: 'session_activity', session: 's2', bell: true });
    story.says({ type: 'session_described', session: 's2', title: 'make', foreground: 'make' });
    await settled();
    expect([computed(), marker(1), renders() - before]).toEqual([[logs.key], 'bell', 1]);
  });

  it('[T4] has the progress of a program in a tab in the background, until the program ends', async () => {
    const { computed, store, story } = await watched();
    const progress = { state: 'running', percent: 42 } as const;
    story.says({ type: 'session_described', session: 's2', title: null, foreground: 'make', progress });
    await settled();
    expect([computed(), store.current().tabs.map((tab) => tab.progress)]).toEqual([
      [logs.key],
      [null, progress],
    ]);
    story.says({ type: 'session_exited', session: 's2', exitCode: 1, signal: null, offset: 0 });
    await settled();
    expect(store.current().tabs[1]?.progress).toBeNull();
  });

  it('has what a person does at once', async () => {
    const { store, story } = await watched();
    story.windowTabs.activate(logs.key);
    expect(store.current().active?.key).toBe(logs.key);
    story.windowTabs.newTerminal();
    expect(store.current().tabs).toHaveLength(3);
    story.windowTabs.close(logs.key);
    expect(store.current().closed).toBe('“Logs”');
  });

  it('has what the page shows beside the terminals at once, and computes no tab for it', async () => {
    const { computed, store, views, viewsChanged } = await watched();
    const { tabs } = store.current();
    views.menu = { x: 1, y: 2 };
    viewsChanged();
    expect([store.current().menu, computed()]).toEqual([{ x: 1, y: 2 }, []]);
    expect(store.current().tabs).toBe(tabs);
  });

  it('stays the same object while it looks the same', async () => {
    const { renders, store, story, viewsChanged } = await watched();
    const view = store.current();
    viewsChanged();
    story.agentIs('online');
    await settled();
    await story.reattaches(sessionInfo('s1', { name: 'Build' }));
    await story.reattaches(sessionInfo('s2', { name: 'Logs' }));
    const back = store.current();
    expect(back).toEqual({ ...view, notice: back.notice });
    expect(back.tabs[1]).toEqual(view.tabs[1]);
    const count = renders();
    viewsChanged();
    await settled();
    expect([store.current() === back, renders()]).toEqual([true, count]);
  });

  it('has a loss in a tab that is not active, however late its reason is known', async () => {
    const { store, story } = await watched();
    story.agentIs('offline');
    story.agentIs('online', 'epoch-2', 2);
    await story.refuses('reattach_session', 'session_missing');
    await story.creates(sessionInfo('n2', { name: 'Logs', epoch: 'epoch-2' }));
    await story.reattaches(sessionInfo('n2', { name: 'Logs', epoch: 'epoch-2' }));
    expect(store.current().tabs[1]?.loss).toBe(null);
    await story.lists();
    expect(store.current().tabs[1]?.loss?.sentence).toMatch(/is a new shell/);
  });

  it('is not kept up to date for nobody', async () => {
    const { computed, stop, story, viewsChanged } = await watched();
    stop();
    story.windowTabs.activate(logs.key);
    story.says({ type: 'session_activity', session: 's1', bell: true });
    viewsChanged();
    await settled();
    expect(computed()).toEqual([]);
  });
});
