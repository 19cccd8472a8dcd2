/**
 * Which terminals of a window share a tab. A terminal that is in no split has a tab of its own. The terminals of a split
 * are beside each other in the list, in the order of their panes.
 */
import type { Area, BranchPath, Direction, Divider } from './pane-tree.ts';
import {
  areasOf,
  divided,
  dividersOf,
  heirOf,
  isWithinBounds,
  mapped,
  panesOf,
  resized,
  WHOLE_AREA,
} from './pane-tree.ts';
import type { Split, Tab, TabList } from './tab.ts';

/** What one tab of the tab bar stands for: a terminal, or the terminals of a split. */
export interface Group {
  readonly keys: readonly string[];
  /** The terminal that is named on the tab. */
  readonly active: string;
  readonly split: Split | null;
}

/**
 * Brings a list in order, wherever it comes from: each terminal is in one split at most, each split has two terminals
 * or more, within the bounds, and these are beside each other.
 */
export function arranged({ tabs, active, splits = [] }: TabList): TabList {
  if (splits.length === 0) return { tabs, active };
  const free = new Set(tabs.map(({ key }) => key));
  const sound = splits.flatMap((split) => {
    const tree = mapped(split.tree, (key) => (free.has(key) ? key : null));
    const keys = tree === null ? [] : panesOf(tree);
    if (tree === null || keys.length < 2 || new Set(keys).size < keys.length || !isWithinBounds(tree))
      return [];
    for (const key of keys) free.delete(key);
    const shown = [active, split.active].find((key) => key !== null && keys.includes(key)) ?? keys[0] ?? '';
    return [{ tree, active: shown, isZoomed: split.isZoomed }];
  });
  const ordered = tabs.flatMap((tab) => {
    const split = sound.find(({ tree }) => panesOf(tree).includes(tab.key));
    const keys = split === undefined ? [tab.key] : panesOf(split.tree);
    const isFirst = tabs.find(({ key }) => keys.includes(key)) === tab;
    return isFirst ? keys.flatMap((key) => tabs.find((other) => other.key === key) ?? []) : [];
  });
  return sound.length === 0 ? { tabs, active } : { tabs: ordered, active, splits: sound };
}

export function splitOf({ splits = [] }: TabList, key: string | null): Split | null {
  return splits.find(({ tree }) => key !== null && panesOf(tree).includes(key)) ?? null;
}

/** What the tab bar shows, in order. */
export function groupsOf(list: TabList): Group[] {
  return list.tabs.flatMap(({ key }): Group[] => {
    const split = splitOf(list, key);
    if (split === null) return [{ keys: [key], active: key, split }];
    const keys = panesOf(split.tree);
    return keys[0] === key ? [{ keys, active: split.active, split }] : [];
  });
}

/** Place of the tab that stands for the terminal. */
export function groupIndexOf(list: TabList, key: string | null): number {
  return groupsOf(list).findIndex(({ keys }) => key !== null && keys.includes(key));
}

/** Opens a terminal beside another, which gets half of its room. Null if there would be too many panes. */
export function split(list: TabList, key: string, direction: Direction, tab: Tab): TabList | null {
  const before = splitOf(list, key);
  const tree = divided(before?.tree ?? key, key, direction, tab.key);
  const at = list.tabs.findIndex((other) => other.key === key);
  if (at < 0 || !isWithinBounds(tree)) return null;
  const splits = (list.splits ?? []).filter((other) => other !== before);
  return arranged({
    tabs: list.tabs.toSpliced(at + 1, 0, tab),
    active: tab.key,
    splits: [...splits, { tree, active: tab.key, isZoomed: false }],
  });
}

/** Whether a terminal can be divided once more. */
export function canSplit(list: TabList, key: string): boolean {
  return isWithinBounds(divided(splitOf(list, key)?.tree ?? key, key, 'row', ''));
}

function changedSplit(list: TabList, key: string, change: (split: Split) => Split): TabList {
  const before = splitOf(list, key);
  if (before === null) return list;
  const splits = (list.splits ?? []).map((other) => (other === before ? change(before) : other));
  return arranged({ ...list, splits });
}

/** Moves a divider of the split that `key` is in. */
export function dividerMoved(list: TabList, key: string, path: BranchPath, percent: number): TabList {
  return changedSplit(list, key, (split) => ({ ...split, tree: resized(split.tree, path, percent) }));
}

/** Gives a pane all of the room, or takes it back. */
export function zoomToggled(list: TabList, key: string): TabList {
  return changedSplit(list, key, (split) => ({ ...split, isZoomed: !split.isZoomed }));
}

/** The pane `step` places from `key`, wrapping around; undefined if it is alone. */
export function paneBeside(list: TabList, key: string, step: 1 | -1): string | undefined {
  const split = splitOf(list, key);
  if (split === null) return undefined;
  const keys = panesOf(split.tree);
  return keys.at((keys.indexOf(key) + step) % keys.length);
}

/** The pane of the same split that takes over from `key`; null if it is alone. */
export function paneAfter(list: TabList, key: string): string | null {
  const split = splitOf(list, key);
  return split === null ? null : heirOf(split.tree, key);
}

/** What is on the page at the moment. */
export interface Arrangement {
  readonly areas: ReadonlyMap<string, Area>;
  readonly dividers: readonly Divider[];
}

/** `isNarrow`: there is room for one pane at a time. */
export function arrangementOf(list: TabList, isNarrow: boolean): Arrangement {
  const split = splitOf(list, list.active);
  if (list.active === null) return { areas: new Map(), dividers: [] };
  if (split === null || split.isZoomed || isNarrow)
    return { areas: new Map([[list.active, WHOLE_AREA]]), dividers: [] };
  return { areas: areasOf(split.tree), dividers: dividersOf(split.tree) };
}

/** Where a terminal is when its tab is shown, with room for all panes. */
export function areaOf(list: TabList, key: string): Area {
  const split = splitOf(list, key);
  return split === null || split.isZoomed ? WHOLE_AREA : (areasOf(split.tree).get(key) ?? WHOLE_AREA);
}

/** Puts a reopened terminal back where it was, as far as the terminals around it are still together. */
export function rejoined(list: TabList, key: string, before: Split | null): TabList {
  if (before === null) return list;
  const present = new Set(list.tabs.map((tab) => tab.key));
  const tree = mapped(before.tree, (pane) => (present.has(pane) ? pane : null));
  const keys = tree === null ? [] : panesOf(tree);
  const others = new Set(keys.flatMap((pane) => panesOf(splitOf(list, pane)?.tree ?? pane)));
  if (tree === null || !keys.includes(key) || [...others].some((pane) => !keys.includes(pane))) return list;
  const splits = (list.splits ?? []).filter((other) => !panesOf(other.tree).some((pane) => others.has(pane)));
  return arranged({ ...list, splits: [...splits, { tree, active: key, isZoomed: false }] });
}
