/** The terminal tabs of one window: which exist, in which order, and what the user does with them. */

import type { SessionNews, WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Clock } from '../../../protocol/clock.ts';
import type { Size } from '../../../protocol/frame.ts';
import { endReasonOf, type SessionInfo } from '../../../protocol/messages/session-info.ts';
import type { SizedScreen } from '../terminal/size/sized-screen.ts';
import { ClosedTabs } from './closed-tabs.ts';
import { OpenTabs } from './open-tabs.ts';
import type { Direction } from './pane-tree.ts';
import { isOnline } from './session-finder.ts';
import { groupIndexOf, groupsOf, split } from './splits.ts';
import { TabClosing } from './tab-closing.ts';
import { TabFlows } from './tab-flows.ts';
import { activated, added, changed, freeName, moved, type Tab, type TabList, tabOf } from './tab-list.ts';
import type { TabMemory } from './tab-memory.ts';
import { TabNotes } from './tab-notes.ts';
import { TabPanes } from './tab-panes.ts';
import { TabSessions } from './tab-sessions.ts';
import type { TerminalFlow } from './terminal-flow.ts';

interface TabsOptions {
  readonly client: WorkspaceClient;
  readonly memory: TabMemory;
  readonly clock: Clock;
  /** Makes random ids for tabs. */
  readonly newKey: () => string;
  /** Whether a tab closes when its program exits without an error. */
  readonly closesOnExit?: () => boolean;
}

interface NewTerminal {
  /** The directory that its shell starts in; by default the agent's choice. */
  readonly cwd?: string;
  /** By default a name that no tab has. */
  readonly name?: string;
  /** The place of its tab; by default the last. */
  readonly index?: number;
  /** The terminal whose tab it shares, and where. */
  readonly beside?: { readonly key: string; readonly direction: Direction };
}

/** What has changed: the terminal of one tab, or anything else. */
export type TabsChange = { readonly of: 'tab'; readonly key: string } | { readonly of: 'window' };

export class Tabs {
  readonly #options: TabsOptions;
  readonly #listeners = new Set<(change: TabsChange) => void>();
  readonly #tabs: OpenTabs;
  readonly #flows: TabFlows;
  readonly #closing: TabClosing;
  readonly closed: ClosedTabs;
  readonly panes: TabPanes;
  readonly notes: TabNotes;
  readonly sessions: TabSessions;
  #stopListening: () => void = () => {};

  constructor(options: TabsOptions) {
    this.#options = options;
    const { client, clock, memory, newKey } = options;
    const mayManage = () => this.mayManage;
    const changed = () => this.#changed({ of: 'window' });
    this.closed = new ClosedTabs(client, clock, changed);
    this.#tabs = new OpenTabs({ memory, registry: client, clock, maySave: mayManage });
    this.notes = new TabNotes({
      clock,
      list: () => this.list,
      graceMs: () => (client.state.name === 'live' ? client.state.agent.graceMs : undefined),
      changed,
    });
    this.panes = new TabPanes({
      list: () => this.list,
      change: (list) => this.#change(list),
      rearranged: () => {
        this.#flows.applyVisibility();
        changed();
      },
    });
    this.#flows = new TabFlows({
      isShown: (key) => this.panes.isShown(key),
      client,
      tabs: this.#tabs,
      mayManage,
      closesOnExit: () => options.closesOnExit?.() === true,
      close: (key, session) => this.#closing.close([key], session),
      activate: (key) => this.activate(key),
      changed: (key) => this.#changed({ of: 'tab', key }),
      noted: (key, note) => this.notes.add(key, note),
    });
    this.#closing = new TabClosing({
      client,
      closed: this.closed,
      flows: this.#flows,
      notes: this.notes,
      sessions: () => this.sessions,
      list: () => this.list,
      change: (list) => this.#change(list),
      mayManage,
      newTerminal: (ended) => this.newTerminal(ended),
    });
    this.sessions = new TabSessions({
      client,
      tabs: this.#tabs,
      flows: this.#flows,
      newKey,
      mayManage,
      close: (key) => this.close(key, { keep: true }),
      newTerminal: () => this.newTerminal(),
      changed,
      look: () => this.#look(),
    });
    for (const tab of this.list.tabs) this.#flows.add(tab, true);
    this.#flows.applyVisibility();
  }

  start(): void {
    const { client } = this.#options;
    const stops = [
      // A flow listens to its own session.
      client.onChange(({ of }) => of === 'connection' && this.#look()),
      client.onNews((news) => this.#heard(news)),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
    this.#look();
  }

  stop(): void {
    this.sessions.stop();
    this.#stopListening();
    this.#tabs.stop();
    this.notes.stop();
    this.closed.stop();
    this.#flows.stop();
  }

  get list(): TabList {
    return this.#tabs.list;
  }

  get mayType(): boolean {
    return this.#options.client.role !== 'viewer';
  }

  /** Whether the user may create, rename and close sessions: not who sees one session only. */
  get mayManage(): boolean {
    return this.mayType && this.#options.client.access.onlySession === null;
  }

  flow(key: string): TerminalFlow | undefined {
    return this.#flows.get(key);
  }

  /** How many lines the user had scrolled up before a reload. */
  scrolled(key: string): number {
    return this.#tabs.scrolled(key);
  }

  /** Calls `listener` after every change, with what it is about. Returns a function that removes it. */
  onChange(listener: (change: TabsChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ── Called for the user ──────────────────────────────────────────────────────────────────────────

  newTerminal({ cwd, name = freeName(this.list), index, beside }: NewTerminal = {}): void {
    if (!this.mayManage) return;
    const key = this.#options.newKey();
    const tab: Tab = { key, session: null, name };
    const list =
      beside === undefined
        ? added(this.list, tab, index)
        : split(this.list, beside.key, beside.direction, tab);
    if (list === null) return;
    const flow = this.#flows.add(tab, false);
    this.#change(list);
    // A new tab passes its own key as the session it replaces, so that asking twice creates one session.
    flow.follow({ kind: 'create', replaces: key, ...(cwd === undefined ? {} : { cwd }) });
  }

  activate(key: string): void {
    if (this.list.active !== key) this.#change(activated(this.list, key));
  }

  move(key: string, index: number): void {
    this.#change(moved(this.list, key, index));
  }

  moveBy(key: string, step: number): void {
    const index = groupIndexOf(this.list, key) + step;
    if (index >= 0 && index < groupsOf(this.list).length) this.move(key, index);
  }

  /** The agent makes the name printable and announces it to every client, including this window. */
  rename(key: string, name: string): void {
    const tab = tabOf(this.list, key);
    const wanted = name.trim();
    if (tab === undefined || wanted === '' || wanted === tab.name) return;
    if (tab.session !== null) this.#options.client.rename(tab.session, wanted);
    this.#change(changed(this.list, key, { name: wanted }));
  }

  /** Shows a session of the workspace: in the tab that already has it, or in a new one. */
  open(info: SessionInfo): void {
    const tab = this.list.tabs.find(({ session }) => session === info.id);
    if (tab !== undefined) return this.activate(tab.key);
    const opened: Tab = { key: this.#options.newKey(), session: info.id, name: info.name };
    const flow = this.#flows.add(opened, true);
    this.#change(added(this.list, opened));
    flow.follow({ kind: 'reattach', info });
  }

  /** Closes tabs. Their shells end a few seconds later unless the user undoes that; with `keep` they run on. */
  close(keys: string | readonly string[], { keep = false } = {}): void {
    this.#closing.close([keys].flat(), keep ? 'runs on' : 'ends');
  }

  undoClose(): void {
    this.#closing.undo();
  }

  /** Brings back what was closed last, if need be with a new shell. */
  reopen(): void {
    this.#closing.reopen();
  }

  // ── Called by the page ───────────────────────────────────────────────────────────────────────────

  showOn(key: string, screen: SizedScreen, size: Size): void {
    this.#flows.get(key)?.showOn(screen, size);
  }

  get isPageVisible(): boolean {
    return this.#flows.isPageVisible;
  }

  setPageVisible(isVisible: boolean): void {
    this.#flows.setPageVisible(isVisible);
    this.#changed({ of: 'window' });
  }

  /** Stores the scroll positions. Called when the user leaves the page, so its cost does not matter. */
  keep(scrolled: (key: string) => number): void {
    this.#tabs.keep(scrolled);
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

  /** The connection or the agent may have changed. */
  #look(): void {
    this.closed.look(isOnline(this.#options.client));
    this.sessions.look();
    this.#flows.look();
    this.#changed({ of: 'window' });
  }

  #heard(news: SessionNews): void {
    if (news.type === 'session_closed') {
      const rule = endReasonOf(news.reason);
      if (rule !== null) this.#flows.closedBy(news.session, rule);
    }
    if (news.type !== 'session_renamed') return;
    this.#tabs.renamed(news.session, news.name);
    this.#changed({ of: 'window' });
  }

  /** The user has changed the tabs. */
  #change(list: TabList): void {
    this.#tabs.change(list);
    this.#flows.applyVisibility();
    if (list.active !== null) this.notes.activated(list.active);
    this.#changed({ of: 'window' });
  }

  #changed(change: TabsChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
