/** What is saved of terminals side by side: bounded, and read as far as it makes sense. */
import { describe, expect, it } from 'vitest';
import {
  LAYOUT_MAX_TABS,
  SPLIT_MAX_DEPTH,
  SPLIT_MAX_PANES,
  SPLIT_MAX_PERCENT,
  SPLIT_MIN_PERCENT,
} from '../../../../protocol/limits.ts';
import { parseClientMessage } from '../../../../protocol/messages/client-message.ts';
import { fitting } from '../../../../web/ui/tabs/layout-saver.ts';
import { hydrate, layoutOf } from '../../../../web/ui/tabs/match-tabs.ts';
import { groupsOf, split } from '../../../../web/ui/tabs/splits.ts';
import { type TabList, tabList } from '../../../../web/ui/tabs/tab-list.ts';
import { TabMemory } from '../../../../web/ui/tabs/tab-memory.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { FakeStorage } from './fake-storage.ts';

const tab = (key: string) => ({ key, session: `session-${key}`, name: `Terminal ${key}` });
const must = (changed: TabList | null): TabList => {
  if (changed === null) throw new Error('there are too many panes');
  return changed;
};
/** Four terminals, three of which share a tab. */
const quad = () => {
  const right = must(split(tabList([tab('a'), tab('z')], 'a'), 'a', 'row', tab('b')));
  return must(split(right, 'b', 'column', tab('c')));
};
/** `'a [b|C]'`: the panes of each tab, with those of the active one in brackets and its active pane in capitals. */
const text = (all: TabList): string =>
  groupsOf(all)
    .map(({ active, keys }) => {
      const names = keys
        .map((key) => (key === active && keys.length > 1 ? key.toUpperCase() : key))
        .join('|');
      return all.active !== null && keys.includes(all.active) ? `[${names}]` : names;
    })
    .join(' ');

describe('what is saved of splits', () => {
  const saved = (splits: unknown) => ({
    type: 'save_layout',
    request: 'r',
    layout: { tabs: [{ session: 'a', name: 'A' }], active: null, splits },
  });
  const pane = { session: 'a' };
  const branch = (first: unknown, second: unknown, percent = 50) => ({
    direction: 'row',
    percent,
    first,
    second,
  });
  const nested = (depth: number): unknown => (depth === 0 ? pane : branch(pane, nested(depth - 1)));
  const full = branch(
    branch(branch(pane, pane), branch(pane, pane)),
    branch(branch(pane, pane), branch(pane, pane)),
  );
  const parses = (splits: unknown) => () => parseClientMessage(JSON.stringify(saved(splits)));

  it('[X9] [RL34] is bounded: one beyond each limit is refused', () => {
    const one = { panes: branch(pane, pane), active: 'a' };
    expect(parses(Array.from({ length: LAYOUT_MAX_TABS / 2 }, () => one))).not.toThrow();
    expect(parses(Array.from({ length: LAYOUT_MAX_TABS / 2 + 1 }, () => one))).toThrow('splits');
    expect(parses([{ panes: nested(SPLIT_MAX_DEPTH), active: 'a' }])).not.toThrow();
    expect(parses([{ panes: nested(SPLIT_MAX_DEPTH + 1), active: 'a' }])).toThrow('panes');
    expect(parses([{ panes: full, active: 'a' }])).not.toThrow();
    expect(parses([{ panes: branch(full, pane), active: 'a' }])).toThrow('panes');
    for (const percent of [SPLIT_MIN_PERCENT - 1, SPLIT_MAX_PERCENT + 1, 33.3])
      expect(parses([{ panes: branch(pane, pane, percent), active: 'a' }])).toThrow('panes');
    expect(parses([{ panes: { ...branch(pane, pane), direction: 'up' }, active: 'a' }])).toThrow('panes');
  });

  it('[U42] [RL34] is read as far as its sessions exist, whatever it says', () => {
    const sessions = ['a', 'b', 'c'].map((id) => sessionInfo(id));
    const tabs = ['a', 'b', 'c'].map((session) => ({ session, name: session }));
    const read = (...splits: NonNullable<Parameters<typeof hydrate>[1]>['splits'] & object) => {
      const keys = ['a', 'b', 'c'];
      return text(hydrate(sessions, { tabs, active: 'c', splits }, () => keys.shift() ?? ''));
    };
    const row = { direction: 'row', percent: 30 } as const;
    const ac = { ...row, first: { session: 'a' }, second: { session: 'c' } };
    expect(read({ panes: ac, active: 'a' }), 'in the order of the panes').toBe('[a|C] b');
    expect(read({ panes: { ...ac, second: { session: 'gone' } }, active: 'gone' })).toBe('a b [c]');
    expect(read({ panes: { ...row, first: ac, second: { session: 'gone' } }, active: 'a' })).toBe('[a|C] b');
    expect(read({ panes: { session: 'b' }, active: 'b' })).toBe('a b [c]');
    expect(read({ panes: ac, active: 'a' }, { panes: ac, active: 'a' }), 'one split each').toBe('[a|C] b');
    expect(read({ panes: { ...row, first: ac, second: ac }, active: 'a' }), 'once each').toBe('a b [c]');
  });

  it('[U42] a page that knows no splits reads plain tabs', () => {
    const layout = layoutOf(quad());
    expect(layout.tabs.map(({ session }) => session)).toEqual([
      'session-a',
      'session-b',
      'session-c',
      'session-z',
    ]);
    expect(layout.active).toBe('session-c');
  });

  it('[U42] are left out if they make a layout too large for a message; the tabs are saved', () => {
    const tabs = Array.from({ length: 48 }, (_, n) => ({ session: `s${n}`, name: 'n'.repeat(256) }));
    const layout = { tabs, active: null, splits: [{ panes: branch(pane, pane), active: 'a' }] };
    const small = { ...layout, tabs: tabs.slice(0, 10) } as Parameters<typeof fitting>[0];
    expect(fitting(small)).toBe(small);
    const wide = tabs.map((one) => ({ ...one, name: '界'.repeat(256) }));
    expect(fitting({ ...small, tabs: wide })).toEqual({ ...small, tabs: wide, splits: [] });
  });

  it('[U42] is ignored in the storage of the window if it is nonsense', () => {
    const storage = new FakeStorage();
    const memory = new TabMemory(storage, 'local');
    memory.write(quad(), () => 0);
    const kept = JSON.parse(storage.getItem('holdfast/local') ?? '');
    storage.setItem('holdfast/local', JSON.stringify({ ...kept, splits: undefined }));
    expect(memory.read().list.splits, 'of an older page').toBeUndefined();
    expect(memory.read().list.tabs).toHaveLength(4);
    const doubled = {
      tree: { direction: 'row', percent: 50, first: 'a', second: 'a' },
      active: 'a',
      isZoomed: false,
    };
    storage.setItem('holdfast/local', JSON.stringify({ ...kept, splits: [doubled] }));
    expect(memory.read().list.splits).toBeUndefined();

    // Within the depth, but with too many panes.
    const keys = Array.from({ length: SPLIT_MAX_PANES * 2 }, (_, n) => `t${n}`);
    const treeOf = (panes: string[]): unknown =>
      panes.length === 1
        ? panes[0]
        : {
            direction: 'row',
            percent: 50,
            first: treeOf(panes.slice(0, panes.length / 2)),
            second: treeOf(panes.slice(panes.length / 2)),
          };
    const readWith = (count: number) => {
      const split = { tree: treeOf(keys.slice(0, count)), active: 't0', isZoomed: false };
      storage.setItem('holdfast/local', JSON.stringify({ ...kept, tabs: keys.map(tab), splits: [split] }));
      return memory.read().list;
    };
    expect(readWith(SPLIT_MAX_PANES).splits).toHaveLength(1);
    expect(readWith(SPLIT_MAX_PANES * 2)).toMatchObject({ tabs: { length: keys.length } });
    expect(readWith(SPLIT_MAX_PANES * 2).splits).toBeUndefined();
  });
});
