/**
 * The tabs of this window: they decide for it, and are kept for a reload. What a person makes of them is also saved in
 * the registry, for browsers that have none.
 */

import type { Clock } from '../../../protocol/clock.ts';
import { LayoutSaver, type LayoutStore } from './layout-saver.ts';
import { changed, type Tab, type TabList, tabOf } from './tab-list.ts';
import type { TabMemory } from './tab-memory.ts';

interface OpenTabsOptions {
  readonly memory: TabMemory;
  readonly registry: LayoutStore;
  readonly clock: Clock;
  /** Who only watches leaves the registry as it is. */
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

  /** Lines the person had scrolled up before a reload. */
  scrolled(key: string): number {
    return this.#scrolled.get(key) ?? 0;
  }

  /** A person has changed them. */
  change(list: TabList): void {
    this.take(list);
    this.#saveSoon();
  }

  /** They are these, as the registry has them or another window has made them. */
  take(list: TabList): void {
    this.#list = list;
    this.#remember();
  }

  /** A tab shows this session from now on. */
  bind(key: string, { session, name }: Pick<Tab, 'session' | 'name'>): void {
    const before = tabOf(this.#list, key);
    if (before === undefined || (before.session === session && before.name === name)) return;
    this.take(changed(this.#list, key, { session, name }));
    if (before.session !== session) this.#saveSoon();
  }

  /** Everybody who shows it calls it so from now on. */
  renamed(session: string, name: string): void {
    const named = this.#list.tabs.filter((tab) => tab.session === session);
    this.take(named.reduce((list, { key }) => changed(list, key, { name }), this.#list));
  }

  /** Writes down where the person is; said when they leave, and never so often that it would cost anything. */
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
