/**
 * The tabs of this window. They are kept for a reload, and take precedence over the registry's layout in this window.
 * Changes made by the user are also saved in the registry, for browsers that have no tabs yet.
 */

import type { Clock } from '../../../protocol/clock.ts';
import { LayoutSaver, type LayoutStore } from './layout-saver.ts';
import { changed, type Tab, type TabList, tabOf } from './tab-list.ts';
import type { TabMemory } from './tab-memory.ts';

interface OpenTabsOptions {
  readonly memory: TabMemory;
  readonly registry: LayoutStore;
  readonly clock: Clock;
  /** False for a viewer, who must not change the registry. */
  readonly maySave: () => boolean;
}

export class OpenTabs {
  readonly #options: OpenTabsOptions;
  readonly #saver: LayoutSaver;
  readonly #scrolled: Map<string, number>;
  #list: TabList;

  constructor(options: OpenTabsOptions) {
    this.#options = options;
    const kept = options.memory.read();
    this.#list = kept.list;
    this.#scrolled = new Map(kept.scrolled);
    this.#saver = new LayoutSaver(options.registry, options.clock, () => this.#list);
  }

  get list(): TabList {
    return this.#list;
  }

  /** How many lines the user had scrolled up before a reload. */
  scrolled(key: string): number {
    return this.#scrolled.get(key) ?? 0;
  }

  /** The user has changed the tabs. */
  change(list: TabList): void {
    this.take(list);
    this.#saveSoon();
  }

  /** Replaces the tabs with those from the registry or from another window, without saving them to the registry. */
  take(list: TabList): void {
    this.#list = list;
    this.#remember();
  }

  /** The tab shows this session from now on. */
  bind(key: string, { session, name }: Pick<Tab, 'session' | 'name'>): void {
    const before = tabOf(this.#list, key);
    if (before === undefined || (before.session === session && before.name === name)) return;
    this.take(changed(this.#list, key, { session, name }));
    if (before.session !== session) this.#saveSoon();
  }

  /** Applies a session's new name to every tab that shows it. */
  renamed(session: string, name: string): void {
    const named = this.#list.tabs.filter((tab) => tab.session === session);
    this.take(named.reduce((list, { key }) => changed(list, key, { name }), this.#list));
  }

  /**
   * Stores the scroll positions and saves pending changes. Called when the user leaves the page, so its cost does not
   * matter.
   */
  keep(scrolled: (key: string) => number): void {
    for (const { key } of this.#list.tabs) this.#scrolled.set(key, scrolled(key));
    this.#remember();
    this.#saver.flush();
  }

  stop(): void {
    this.#saver.stop();
  }

  #remember(): void {
    this.#options.memory.write(this.#list, (key) => this.scrolled(key));
  }

  #saveSoon(): void {
    if (this.#options.maySave()) this.#saver.soon();
  }
}
