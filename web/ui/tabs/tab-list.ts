/** The tabs of a window as an immutable value: their order, their names and which one is active. */

import { NAME_MAX_CHARS } from '../../../protocol/limits.ts';
import { arranged, groupIndexOf, groupsOf, paneAfter } from './splits.ts';
import type { Split, Tab, TabList } from './tab.ts';

export type { Tab, TabList } from './tab.ts';

export const NO_TABS: TabList = { tabs: [], active: null };

export function tabOf(list: TabList, key: string): Tab | undefined {
  return list.tabs.find((tab) => tab.key === key);
}

export function indexOf(list: TabList, key: string | null): number {
  return list.tabs.findIndex((tab) => tab.key === key);
}

/** Builds a list whose active tab exists, whatever `active` says. */
export function tabList(tabs: readonly Tab[], active: string | null, splits: readonly Split[] = []): TabList {
  const shown = tabs.find(({ key }) => key === active) ?? tabs[0];
  return arranged({ tabs, active: shown?.key ?? null, splits });
}

/** Adds a tab at `index`, by default at the end, and activates it. */
export function added(list: TabList, tab: Tab, index = list.tabs.length): TabList {
  return arranged({ ...list, tabs: list.tabs.toSpliced(index, 0, tab), active: tab.key });
}

/**
 * Removes a tab. If it was active, the pane that gets its room becomes active, else its right neighbour, else its left
 * one.
 */
export function removed(list: TabList, key: string): TabList {
  const index = indexOf(list, key);
  if (index < 0) return list;
  const groups = groupsOf(list);
  const place = groupIndexOf(list, key);
  const neighbour = paneAfter(list, key) ?? (groups[place + 1] ?? groups[place - 1])?.active ?? null;
  const active = list.active === key ? neighbour : list.active;
  return arranged({ ...list, tabs: list.tabs.toSpliced(index, 1), active });
}

export function activated(list: TabList, key: string): TabList {
  return tabOf(list, key) === undefined ? list : arranged({ ...list, active: key });
}

/** Moves a tab, with all of its panes, to `index` among the tabs, clamped to the ends. */
export function moved(list: TabList, key: string, index: number): TabList {
  const groups = groupsOf(list);
  const own = groups.find(({ keys }) => keys.includes(key));
  if (own === undefined) return list;
  const others = groups.filter((group) => group !== own);
  const keys = others.toSpliced(Math.max(0, index), 0, own).flatMap((group) => group.keys);
  return arranged({ ...list, tabs: keys.flatMap((one) => tabOf(list, one) ?? []) });
}

export function changed(list: TabList, key: string, change: Partial<Omit<Tab, 'key'>>): TabList {
  return { ...list, tabs: list.tabs.map((tab) => (tab.key === key ? { ...tab, ...change } : tab)) };
}

/** The tab `step` places from the active one, wrapping around at the ends. */
export function neighbour(list: TabList, step: number): Tab | undefined {
  const groups = groupsOf(list);
  const count = groups.length;
  const from = groupIndexOf(list, list.active);
  const next = groups[(((from + step) % count) + count) % count];
  return next === undefined ? undefined : tabOf(list, next.active);
}

/** A name for a copy of the tab `name`: "Logs 2", "Logs 3", …, the first that is not taken. */
export function copyName(list: TabList, name: string): string {
  const taken = new Set(list.tabs.map((tab) => tab.name));
  const stem = name.replace(/ \d{1,4}$/, '');
  for (let n = 2; ; n++) {
    const copy = `${stem.slice(0, NAME_MAX_CHARS - 5)} ${n}`;
    if (!taken.has(copy)) return copy;
  }
}

/** The first of "Terminal 1", "Terminal 2", … that is not taken. */
export function freeName(list: TabList): string {
  const taken = new Set(list.tabs.map(({ name }) => name));
  for (let n = 1; ; n++) if (!taken.has(`Terminal ${n}`)) return `Terminal ${n}`;
}
