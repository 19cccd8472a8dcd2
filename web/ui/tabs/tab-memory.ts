/** Keeps the tabs of this window in `sessionStorage` under one key, so that a reload restores them. [P16] */
import * as v from 'valibot';
import {
  LAYOUT_MAX_SPLITS,
  LAYOUT_MAX_TABS,
  SPLIT_MAX_DEPTH,
  SPLIT_MAX_PERCENT,
  SPLIT_MIN_PERCENT,
} from '../../../protocol/limits.ts';
import type { PaneTree } from './pane-tree.ts';
import { NO_TABS, type TabList, tabList } from './tab-list.ts';

/** Data of any other version is ignored. */
const VERSION = 2;

const key = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/));
const percent = v.pipe(v.number(), v.integer(), v.minValue(SPLIT_MIN_PERCENT), v.maxValue(SPLIT_MAX_PERCENT));

/** As many levels as there may be. */
function treeWithin(depth: number): v.GenericSchema<PaneTree> {
  if (depth === 0) return key;
  const part = treeWithin(depth - 1);
  const direction = v.picklist(['row', 'column']);
  return v.union([key, v.object({ direction, percent, first: part, second: part })]);
}

const splitSchema = v.object({ tree: treeWithin(SPLIT_MAX_DEPTH), active: key, isZoomed: v.boolean() });

const keptSchema = v.object({
  version: v.literal(VERSION),
  tabs: v.pipe(
    v.array(
      v.object({
        key,
        session: v.nullable(v.string()),
        name: v.string(),
        /** How many lines the user had scrolled up from the end. */
        scrolled: v.optional(v.number(), 0),
      }),
    ),
    v.maxLength(LAYOUT_MAX_TABS),
  ),
  active: v.nullable(v.string()),
  /** Absent from a page that knew no splits; one reads this file too, and shows plain tabs. */
  splits: v.optional(v.pipe(v.array(splitSchema), v.maxLength(LAYOUT_MAX_SPLITS)), []),
});

interface KeptTabs {
  readonly list: TabList;
  /** Lines scrolled up from the end, by the tab's key. */
  readonly scrolled: ReadonlyMap<string, number>;
}

type Store = Pick<Storage, 'getItem' | 'setItem'>;

export class TabMemory {
  readonly #storage: Store;
  readonly #key: string;

  /** One window may visit two workspaces of the same relay, so each workspace has its own key. */
  constructor(storage: Store, workspace: string) {
    this.#storage = storage;
    this.#key = `holdfast/${workspace}`;
  }

  read(): KeptTabs {
    const kept = v.safeParse(keptSchema, parseJson(this.#read()));
    if (!kept.success) return { list: NO_TABS, scrolled: new Map() };
    const { tabs, active, splits } = kept.output;
    return {
      list: tabList(
        tabs.map(({ key, session, name }) => ({ key, session, name })),
        active,
        splits,
      ),
      scrolled: new Map(tabs.map(({ key, scrolled }) => [key, scrolled])),
    };
  }

  write({ tabs, active, splits }: TabList, scrolled: (key: string) => number): void {
    const kept = tabs.map((tab) => {
      const lines = scrolled(tab.key);
      return lines > 0 ? { ...tab, scrolled: lines } : tab;
    });
    try {
      this.#storage.setItem(this.#key, JSON.stringify({ version: VERSION, tabs: kept, active, splits }));
    } catch {
      // Storage is full or blocked by the browser: the tabs then live only as long as the page.
    }
  }

  #read(): string | null {
    try {
      return this.#storage.getItem(this.#key);
    } catch {
      return null;
    }
  }
}

/** Null for a missing value and for invalid JSON: browser extensions and users can write here too. */
function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
