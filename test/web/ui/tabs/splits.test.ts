/** Terminals side by side: the tree of panes, which tabs share one, and what is saved of them. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SPLIT_MAX_DEPTH,
  SPLIT_MAX_PANES,
  SPLIT_MAX_PERCENT,
  SPLIT_MIN_PERCENT,
} from '../../../../protocol/limits.ts';
import { parseClientMessage } from '../../../../protocol/messages/client-message.ts';
import { hydrate, layoutOf } from '../../../../web/ui/tabs/match-tabs.ts';
import {
  areasOf,
  branchAround,
  type Direction,
  depthOf,
  dividersOf,
  heirOf,
  type PaneTree,
  panesOf,
} from '../../../../web/ui/tabs/pane-tree.ts';
import {
  areaOf,
  arrangementOf,
  dividerMoved,
  groupIndexOf,
  groupsOf,
  paneBeside,
  rejoined,
  split,
  splitOf,
  zoomToggled,
} from '../../../../web/ui/tabs/splits.ts';
import {
  activated,
  added,
  moved,
  neighbour,
  removed,
  type TabList,
  tabList,
} from '../../../../web/ui/tabs/tab-list.ts';
import { TabMemory } from '../../../../web/ui/tabs/tab-memory.ts';
import { checkProperty } from '../../../support/property.ts';
import { sessionInfo } from '../../../support/scripted-session.ts';
import { FakeStorage } from './fake-storage.ts';

const tab = (key: string) => ({ key, session: `session-${key}`, name: `Terminal ${key}` });
const list = (...keys: string[]): TabList => tabList(keys.map(tab), keys[0] ?? null);
const must = (changed: TabList | null): TabList => {
  if (changed === null) throw new Error('there are too many panes');
  return changed;
};
/** `'a [b|c] d'`: the panes of each tab, with those of the active one in brackets and its active pane in capitals. */
const text = (all: TabList): string =>
  groupsOf(all)
    .map(({ active, keys }) => {
      const names = keys
        .map((key) => (key === active && keys.length > 1 ? key.toUpperCase() : key))
        .join('|');
      return all.active !== null && keys.includes(all.active) ? `[${names}]` : names;
    })
    .join(' ');

/** A window after some steps of a user. */
type Step =
  | { readonly kind: 'add' | 'close' | 'activate' | 'zoom'; readonly at: number }
  | { readonly kind: 'split'; readonly at: number; readonly direction: Direction }
  | { readonly kind: 'move'; readonly at: number; readonly to: number }
  | { readonly kind: 'resize'; readonly at: number; readonly percent: number };

const at = fc.nat({ max: 20 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('add', 'close', 'activate', 'zoom'), at }),
    fc.record({ kind: fc.constant('split' as const), at, direction: fc.constantFrom('row', 'column') }),
    fc.record({ kind: fc.constant('move' as const), at, to: fc.integer({ min: -2, max: 20 }) }),
    fc.record({ kind: fc.constant('resize' as const), at, percent: fc.integer({ min: -50, max: 150 }) }),
  ),
  { maxLength: 40 },
);

function after(all: TabList, step: Step, n: number): TabList {
  const key = all.tabs[step.at % Math.max(1, all.tabs.length)]?.key;
  if (key === undefined || step.kind === 'add') return added(all, tab(`n${n}`), step.at);
  switch (step.kind) {
    case 'close':
      return removed(all, key);
    case 'activate':
      return activated(all, key);
    case 'zoom':
      return zoomToggled(all, key);
    case 'split':
      return split(all, key, step.direction, tab(`n${n}`)) ?? all;
    case 'move':
      return moved(all, key, step.to);
    case 'resize': {
      const paths = dividersOf(splitOf(all, key)?.tree ?? key).map(({ path }) => path);
      return dividerMoved(all, key, paths[step.at % Math.max(1, paths.length)] ?? '', step.percent);
    }
  }
}

const windows = steps.map((all) => all.reduce(after, list('a')));

function checkTree(tree: PaneTree): void {
  if (typeof tree === 'string') return;
  expect(Number.isInteger(tree.percent)).toBe(true);
  expect(tree.percent).toBeGreaterThanOrEqual(SPLIT_MIN_PERCENT);
  expect(tree.percent).toBeLessThanOrEqual(SPLIT_MAX_PERCENT);
  checkTree(tree.first);
  checkTree(tree.second);
}

describe('the panes of a tab', () => {
  it('[U42] cover its area exactly once, whatever is split, closed, moved and resized', () => {
    checkProperty(
      'panes cover their tab',
      fc.property(windows, (all) => {
        for (const { tree } of all.splits ?? []) {
          checkTree(tree);
          const areas = [...areasOf(tree).values()];
          const sum = areas.reduce((total, { width, height }) => total + width * height, 0);
          expect(sum).toBeCloseTo(100 * 100, 6);
          for (const area of areas) expect(Math.min(area.width, area.height)).toBeGreaterThan(0);
          expect(dividersOf(tree)).toHaveLength(areas.length - 1);
        }
      }),
    );
  });

  it('[U42] are those of one split at most, two or more, within the bounds, and beside each other', () => {
    checkProperty(
      'splits are sound',
      fc.property(windows, (all) => {
        const keys = all.tabs.map(({ key }) => key);
        const inSplits = (all.splits ?? []).flatMap(({ tree }) => panesOf(tree));
        expect(new Set(inSplits).size).toBe(inSplits.length);
        for (const { active, tree } of all.splits ?? []) {
          const panes = panesOf(tree);
          expect(panes.length).toBeGreaterThanOrEqual(2);
          expect(panes.length).toBeLessThanOrEqual(SPLIT_MAX_PANES);
          expect(depthOf(tree)).toBeLessThanOrEqual(SPLIT_MAX_DEPTH);
          const first = keys.indexOf(panes[0] ?? '');
          expect(keys.slice(first, first + panes.length)).toEqual(panes);
          expect(panes).toContain(active);
        }
        expect(groupsOf(all).flatMap((group) => group.keys)).toEqual(keys);
        expect(all.active === null ? keys : keys.includes(all.active)).toEqual(
          all.active === null ? [] : true,
        );
      }),
    );
  });

  it('[U42] are as before once the split pane is closed again', () => {
    checkProperty(
      'split and close',
      fc.property(windows, at, fc.constantFrom<Direction>('row', 'column'), (all, place, direction) => {
        const key = all.tabs[place % Math.max(1, all.tabs.length)]?.key;
        const more = key === undefined ? null : split(all, key, direction, tab('new'));
        if (key === undefined || more === null) return;
        expect(more.active).toBe('new');
        expect(removed(more, 'new').splits).toEqual(
          activated({ ...all, splits: unzoomed(all, key) }, key).splits,
        );
        expect(removed(more, 'new').active).toBe(key);
      }),
    );
  });

  it('[U42] are the same after a reload, and on another device', () => {
    checkProperty(
      'splits are kept',
      fc.property(windows, (all) => {
        const memory = new TabMemory(new FakeStorage(), 'local');
        memory.write(all, () => 0);
        expect(memory.read().list).toEqual(all);
        const layout = layoutOf(all);
        const message = { type: 'save_layout', request: 'r', layout } as const;
        expect(parseClientMessage(JSON.stringify(message))).toEqual(message);
        const sessions = all.tabs.map(({ session, name }) => sessionInfo(session ?? '', { name }));
        const elsewhere = hydrate(sessions, layout, keysFor(all));
        expect(elsewhere).toEqual(all);
      }),
    );
  });

  it('[U42] come back together when they are closed together and reopened', () => {
    checkProperty(
      'reopened panes',
      fc.property(windows, (all) => {
        const [group] = groupsOf(all).filter(({ keys }) => keys.length > 1);
        if (group?.split == null) return;
        let now = all;
        const closed = group.keys.map((key) => {
          const entry = {
            key,
            place: now.tabs.findIndex((one) => one.key === key),
            before: splitOf(now, key),
          };
          now = removed(now, key);
          return entry;
        });
        for (const { key, place, before } of closed.reverse())
          now = rejoined(added(now, tab(key), place), key, before);
        expect(splitOf(now, group.active)?.tree).toEqual(group.split.tree);
      }),
    );
  });
});

/** As splitting does: all panes of that tab are shown. */
function unzoomed(all: TabList, key: string) {
  const own = splitOf(all, key);
  const others = (all.splits ?? []).filter((other) => other !== own);
  return own === null ? others : [...others, { ...own, isZoomed: false }];
}

/** The keys of `all`, in the order of its tabs. */
function keysFor(all: TabList): () => string {
  const keys = all.tabs.map(({ key }) => key);
  return () => keys.shift() ?? 'none';
}

const quad = () => {
  const right = must(split(list('a', 'z'), 'a', 'row', tab('b')));
  return must(split(right, 'b', 'column', tab('c')));
};

describe('a tab with panes', () => {
  it('[U42] is one tab for the keys that go from tab to tab and move tabs', () => {
    const all = quad();
    expect(text(all)).toBe('[a|b|C] z');
    expect(text(activated(all, 'z'))).toBe('a|b|C [z]');
    expect(neighbour(activated(all, 'z'), 1)?.key, 'back to the pane that was active').toBe('c');
    expect(text(moved(all, 'b', 1))).toBe('z [a|b|C]');
    expect(text(moved(all, 'z', 0))).toBe('z [a|b|C]');
    expect(groupIndexOf(all, 'z')).toBe(1);
    expect(paneBeside(all, 'c', 1)).toBe('a');
    expect(paneBeside(all, 'a', -1)).toBe('c');
    expect(paneBeside(all, 'z', 1)).toBeUndefined();
  });

  it('[U42] gives the room of a closed pane to its neighbour, and the keyboard too', () => {
    const all = quad();
    expect(areaOf(all, 'c')).toEqual({ left: 50, top: 50, width: 50, height: 50 });
    const less = removed(all, 'c');
    expect(text(less)).toBe('[a|B] z');
    expect(areaOf(less, 'b')).toEqual({ left: 50, top: 0, width: 50, height: 100 });
    expect(text(removed(less, 'b'))).toBe('[a] z');
    expect(heirOf('a', 'a')).toBeNull();
    expect(branchAround(splitOf(all, 'a')?.tree ?? '', 'c')).toBe('1');
  });

  it('[U42] shows all of its panes, one that is zoomed, or one on a narrow window', () => {
    const all = quad();
    expect([...arrangementOf(all, false).areas.keys()]).toEqual(['a', 'b', 'c']);
    expect(arrangementOf(all, false).dividers).toHaveLength(2);
    expect([...arrangementOf(all, true).areas]).toEqual([
      ['c', { left: 0, top: 0, width: 100, height: 100 }],
    ]);
    const zoomed = zoomToggled(all, 'c');
    expect([...arrangementOf(zoomed, false).areas.keys()]).toEqual(['c']);
    expect(arrangementOf(zoomed, false).dividers).toEqual([]);
    expect(zoomToggled(zoomed, 'c')).toEqual(all);
    expect([...arrangementOf(activated(all, 'z'), false).areas.keys()]).toEqual(['z']);
  });

  it('[U42] has so many panes, so often divided, and no more', () => {
    let all = list('p0');
    for (let n = 1; n <= SPLIT_MAX_DEPTH; n++) all = must(split(all, `p${n - 1}`, 'row', tab(`p${n}`)));
    expect(split(all, `p${SPLIT_MAX_DEPTH}`, 'row', tab('deep'))).toBeNull();
    const shallow = ['p0', 'p1', 'p2', 'p0', 'p1'];
    for (const key of shallow) {
      const more = split(all, key, 'column', tab(`q${all.tabs.length}`));
      if (more !== null) all = more;
    }
    expect(all.tabs).toHaveLength(SPLIT_MAX_PANES);
    expect(split(all, 'p0', 'row', tab('many'))).toBeNull();
  });
});
