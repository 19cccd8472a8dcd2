/** The tabs of this window, kept in `sessionStorage` under one key, so that a reload finds them again. [P16] */
import * as v from 'valibot';
import { LAYOUT_MAX_TABS } from '../../../protocol/limits.ts';
import { NO_TABS, type TabList, tabList } from './tab-list.ts';

/** What another version left is not guessed at. */
const VERSION = 2;

const keptSchema = v.object({
  version: v.literal(VERSION),
  tabs: v.pipe(
    v.array(
      v.object({
        key: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/)),
        session: v.nullable(v.string()),
        name: v.string(),
        /** Lines the person had scrolled up from the end. */
        scrolled: v.optional(v.number(), 0),
      }),
    ),
    v.maxLength(LAYOUT_MAX_TABS),
  ),
  active: v.nullable(v.string()),
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

  /** A window may visit two workspaces of one relay; each has its own key. */
  constructor(storage: Store, workspace: string) {
    this.#storage = storage;
    this.#key = `holdfast/${workspace}`;
  }

  read(): KeptTabs {
    const kept = v.safeParse(keptSchema, parseJson(this.#read()));
    if (!kept.success) return { list: NO_TABS, scrolled: new Map() };
    const { tabs, active } = kept.output;
    return {
      list: tabList(
        tabs.map(({ key, session, name }) => ({ key, session, name })),
        active,
      ),
      scrolled: new Map(tabs.map(({ key, scrolled }) => [key, scrolled])),
    };
  }

  write({ tabs, active }: TabList, scrolled: (key: string) => number): void {
    const kept = tabs.map((tab) => {
      const lines = scrolled(tab.key);
      return lines > 0 ? { ...tab, scrolled: lines } : tab;
    });
    try {
      this.#storage.setItem(this.#key, JSON.stringify({ version: VERSION, tabs: kept, active }));
    } catch {
      // Full, or forbidden by the browser: the tabs then last as long as the page.
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

/** Null for what is not there and for what is not JSON: extensions and people write here too. */
function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
