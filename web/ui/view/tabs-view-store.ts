/**
 * Keeps the view of the page up to date with what it shows. A change in one terminal computes the view of that tab
 * again, once however many changes come together; a change that a person makes is in the view at once. What looks the
 * same stays the same object, so that React has nothing to do.
 */
import { roundTripText } from '../text/round-trip-text.ts';
import { type TabView, tabView, type ViewSources } from './tab-view.ts';
import { type TabsView, tabsView } from './tabs-view.ts';

export class TabsViewStore {
  readonly #sources: ViewSources;
  readonly #now: () => Date;
  readonly #listeners = new Set<() => void>();
  readonly #changedTabs = new Set<string>();
  #tabs = new Map<string, TabView>();
  #view: TabsView;
  #isDue = false;
  #stopListening: () => void = () => {};

  constructor(sources: ViewSources, now = () => new Date()) {
    this.#sources = sources;
    this.#now = now;
    this.#computeTabs(() => true);
    this.#view = tabsView(sources, [...this.#tabs.values()]);
  }

  readonly current = (): TabsView => this.#view;

  /** Calls `listener` when `current` returns another view. Returns a function that removes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0) this.#listen();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stopListening();
    };
  };

  #listen(): void {
    const { client, views, windowTabs } = this.#sources;
    const isMeasuredAnew = () => roundTripText(client.statistics) !== this.#view.roundTrip;
    const stops = [
      windowTabs.onChange((change) => {
        if (change.of === 'tab') this.#soon(change.key);
        else this.#compute(() => true);
      }),
      views.onChange((change) => {
        if (change.of === 'tab') this.#soon(change.key);
        else this.#compute(() => false);
      }),
      // Input that was taken has measured the round trip. The tabs report what else is new in a session.
      client.onChange((change) => {
        if (change.of === 'session' && isMeasuredAnew()) this.#soon();
        if (change.of !== 'people') return;
        for (const { key, session } of windowTabs.list.tabs) if (session === change.session) this.#soon(key);
      }),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
    this.#compute(() => true);
  }

  /** Computes what concerns the whole page in a moment, and with it the tab `key`. */
  #soon(key?: string): void {
    if (key !== undefined) this.#changedTabs.add(key);
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      if (this.#isDue) this.#compute(() => false);
    });
  }

  /** Computes the tabs that have changed or `isStale` names, and the page around them. */
  #compute(isStale: (key: string) => boolean): void {
    this.#isDue = false;
    this.#computeTabs(isStale);
    const tabs = [...this.#tabs.values()];
    const made = tabsView(this.#sources, isSame(tabs, this.#view.tabs) ? this.#view.tabs : tabs);
    const next = isSame(made.bar, this.#view.bar) ? { ...made, bar: this.#view.bar } : made;
    if (isSame(next, this.#view)) return;
    this.#view = next;
    for (const listener of this.#listeners) listener();
  }

  #computeTabs(isStale: (key: string) => boolean): void {
    const now = this.#now();
    const before = this.#tabs;
    this.#tabs = new Map();
    for (const tab of this.#sources.windowTabs.list.tabs) {
      const known = before.get(tab.key);
      const isKept = known !== undefined && !this.#changedTabs.has(tab.key) && !isStale(tab.key);
      const next = isKept ? known : tabView(tab, this.#sources, now);
      this.#tabs.set(tab.key, isSame(next, known) ? known : next);
    }
    this.#changedTabs.clear();
  }
}

/** Whether two views, or parts of them, look the same. */
function isSame<T>(a: T, b: T | undefined): b is T;
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [inA, inB] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return inA.length === Object.keys(b).length && inA.every(([name, value]) => isSame(value, inB[name]));
}
