/** Panes as they are shown: which get output, the tab that stands for them, keys on a divider, and their sizes. */
import { describe, expect, it } from 'vitest';
import { SPLIT_MAX_PERCENT, SPLIT_MIN_PERCENT } from '../../../../protocol/limits.ts';
import { split } from '../../../../web/ui/tabs/splits.ts';
import { tabList } from '../../../../web/ui/tabs/tab-list.ts';
import { sizeIn, wholeSize } from '../../../../web/ui/terminal/size/pane-size.ts';
import { barTabs } from '../../../../web/ui/view/bar-tabs.ts';
import { dividerKey } from '../../../../web/ui/view/divider-keys.ts';
import type { TabView } from '../../../../web/ui/view/tab-view.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { settled, showing } from '../tabs/tabs-story.ts';

const tab = (key: string) => ({ key, session: null, name: key });

describe('the tab of panes', () => {
  const seen = (key: string, isActive: boolean, marker: TabView['marker']) =>
    ({ key, name: key, isActive, marker, attention: null }) as unknown as TabView;

  it('[U42] has the name of the active pane and the most urgent mark of all', () => {
    const list = split(tabList([tab('a'), tab('z')], 'a'), 'a', 'row', tab('b'));
    if (list === null) throw new Error('there are too many panes');
    const shown = barTabs(list, [
      seen('a', false, 'activity'),
      seen('b', true, null),
      seen('z', false, 'bell'),
    ]);
    expect(shown.map(({ isActive, marker, name, panes }) => ({ isActive, marker, name, panes }))).toEqual([
      { isActive: true, marker: 'activity', name: 'b', panes: ['a', 'b'] },
      { isActive: false, marker: 'bell', name: 'z', panes: ['z'] },
    ]);
    const asked = barTabs(list, [seen('a', false, 'asks'), seen('b', true, 'bell'), seen('z', false, null)]);
    expect(asked.map(({ marker }) => marker)).toEqual(['asks', null]);
  });
});

describe('the panes of the active tab', () => {
  it('[U42] all get output; the others, and all but one on a narrow window, get none', async () => {
    const story = await showing();
    const isVisible = (key: string) => story.windowTabs.panes.isShown(key);
    story.windowTabs.newTerminal({ cwd: '/srv', beside: { key: 'a', direction: 'row' } });
    const key = story.windowTabs.list.active ?? '';
    expect(story.asked('create_session').at(-1)).toMatchObject({ cwd: '/srv' });
    await story.creates(sessionInfo('n1'));
    expect(story.asked('reattach_session').at(-1)).toMatchObject({ session: 'n1' });
    expect(story.asked('reattach_session').at(-1)?.hidden).not.toBe(true);
    await story.reattaches(sessionInfo('n1'));
    const hidden = () => story.asked('hide_session').map(({ session }) => session);
    const before = hidden();
    expect([key, 'a', 'b'].map(isVisible)).toEqual([true, true, false]);
    expect(before, 'the first stays visible').not.toContain('s1');
    story.windowTabs.panes.setNarrow(true);
    await settled();
    expect(hidden().slice(before.length)).toEqual(['s1']);
    expect([key, 'a', 'b'].map(isVisible)).toEqual([true, false, false]);
  });
});

describe('a divider', () => {
  const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
  it.each([
    ['ArrowLeft', 'row', 38],
    ['ArrowRight', 'row', 42],
    ['ArrowUp', 'row', null],
    ['ArrowUp', 'column', 38],
    ['ArrowDown', 'column', 42],
    ['ArrowLeft', 'column', null],
    ['PageUp', 'row', 30],
    ['PageDown', 'column', 50],
    ['Home', 'row', SPLIT_MIN_PERCENT],
    ['End', 'row', SPLIT_MAX_PERCENT],
    ['Enter', 'row', 'done'],
    ['Escape', 'row', 'done'],
    ['a', 'row', null],
  ] as const)('[U42] with %s in a %s is %j', (key, direction, result) => {
    expect(dividerKey({ ...none, key }, { direction, percent: 40 })).toBe(result);
    expect(dividerKey({ ...none, altKey: true, key }, { direction, percent: 40 })).toBeNull();
  });
});

describe('the size of a hidden pane', () => {
  it('[U42] is its share of the window, and never nothing', () => {
    const half = { width: 50, height: 100 };
    expect(sizeIn(half, { cols: 101, rows: 30 })).toEqual({ cols: 50, rows: 30 });
    expect(wholeSize(half, { cols: 50, rows: 30 })).toEqual({ cols: 100, rows: 30 });
    expect(sizeIn({ width: 1, height: 1 }, { cols: 20, rows: 5 })).toEqual({ cols: 2, rows: 1 });
    expect(wholeSize({ width: 1, height: 1 }, { cols: 900, rows: 900 })).toEqual({ cols: 1000, rows: 1000 });
  });
});
