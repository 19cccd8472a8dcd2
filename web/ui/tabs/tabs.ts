/** The terminals of one window: its tabs, what each of them does, and how they come back. */

import type { SessionNews, WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Clock } from '../../../protocol/clock.ts';
import { Refusal } from '../../../protocol/errors.ts';
import type { Size } from '../../../protocol/frame.ts';
import { endReasonOf, type SessionInfo } from '../../../protocol/messages.ts';
import type { SizedScreen } from '../terminal/sized-screen.ts';
import { ClosedTabs } from './closed-tabs.ts';
import { EndReasons } from './end-reasons.ts';
import { isAboutLoss, type Note } from './flow-state.ts';
import { hydrate, planFor, reopenPlan } from './match-tabs.ts';
import { noteText } from './note-text.ts';
import { Notices } from './notices.ts';
import { OpenTabs } from './open-tabs.ts';
import { type FoundSessions, isOnline, SessionFinder } from './session-finder.ts';
import {
  activated,
  added,
  changed,
  freeName,
  indexOf,
  moved,
  neighbour,
  removed,
  type Tab,
  type TabList,
  tabOf,
} from './tab-list.ts';
import type { TabMemory } from './tab-memory.ts';
import { TerminalFlow } from './terminal-flow.ts';

export interface DeskOptions {
  readonly client: WorkspaceClient;
  readonly memory: TabMemory;
  readonly clock: Clock;
  /** Random; makes ids of tabs. */
  readonly newKey: () => string;
  /** Whether a tab is closed when its program ends without an error. */
  readonly closesOnExit?: () => boolean;
}

/** What a person has lost: a shell, or what they typed. */
export interface Loss {
  readonly sentence: string;
  /** What was typed and reached no program, as a person reads it. */
  readonly undelivered: string;
}

export class Tabs {
  readonly #options: DeskOptions;
  readonly #flows = new Map<string, TerminalFlow>();
  readonly #listeners = new Set<() => void>();
  #isPageVisible = true;
  /** What nobody has been told of tabs that have a fresh shell. */
  readonly #untold = new Map<string, Note>();
  readonly #losses = new Map<string, Loss>();
  readonly #notices: Notices;
  readonly #endReasons: EndReasons;
  readonly #tabs: OpenTabs;
  readonly #finder: SessionFinder;
  readonly closed: ClosedTabs;
  #stopListening: () => void = () => {};

  constructor(options: DeskOptions) {
    this.#options = options;
    const { client, clock } = options;
    this.closed = new ClosedTabs(client, clock, () => this.#changed());
    this.#endReasons = new EndReasons(client);
    this.#notices = new Notices(clock, () => this.#changed());
    this.#tabs = new OpenTabs({
      memory: options.memory,
      registry: client,
      clock,
      maySave: () => this.mayType,
    });
    this.#finder = new SessionFinder({
      client,
      needsTabs: () => this.list.tabs.length === 0,
      found: (found) => this.#found(found),
      failed: () => this.#look(),
    });
    for (const tab of this.list.tabs) this.#flowFor(tab, true);
    this.#applyVisibility();
  }

  start(): void {
    const { client } = this.#options;
    const stops = [client.onChange(() => this.#look()), client.onNews((news) => this.#heard(news))];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
    this.#look();
  }

  stop(): void {
    this.#finder.stop();
    this.#stopListening();
    this.#tabs.stop();
    this.#notices.stop();
    this.closed.stop();
    for (const flow of this.#flows.values()) flow.stop();
  }

  get list(): TabList {
    return this.#tabs.list;
  }

  get isSettled(): boolean {
    return this.#finder.isSettled;
  }

  /** Why the tabs could not be found, when that is so. */
  get trouble(): string | null {
    return this.#finder.trouble;
  }

  get mayType(): boolean {
    return this.#options.client.role !== 'viewer';
  }

  flow(key: string): TerminalFlow | undefined {
    return this.#flows.get(key);
  }

  /** What a person should know and need not answer; empty after a while. */
  get notice(): string {
    return this.#notices.text;
  }

  /** Lines the person had scrolled up before a reload. */
  scrolled(key: string): number {
    return this.#tabs.scrolled(key);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ── The person ───────────────────────────────────────────────────────────────────────────────────

  newTerminal(): void {
    if (!this.mayType) return;
    const key = this.#options.newKey();
    const tab: Tab = { key, session: null, name: freeName(this.list) };
    const flow = this.#flowFor(tab, false);
    this.#change(added(this.list, tab));
    // The tab's own key stands for the session it replaces, so that asking twice makes one.
    flow.follow({ kind: 'create', replaces: key });
  }

  activate(key: string): void {
    if (this.list.active !== key) this.#change(activated(this.list, key));
  }

  activateNeighbour(step: number): void {
    const tab = neighbour(this.list, step);
    if (tab !== undefined) this.activate(tab.key);
  }

  move(key: string, index: number): void {
    this.#change(moved(this.list, key, index));
  }

  moveBy(key: string, step: number): void {
    const index = indexOf(this.list, key) + step;
    if (index >= 0 && index < this.list.tabs.length) this.move(key, index);
  }

  /** The agent makes it printable and tells everybody, this window included. */
  rename(key: string, name: string): void {
    const tab = tabOf(this.list, key);
    const wanted = name.trim();
    if (tab === undefined || wanted === '' || wanted === tab.name) return;
    if (tab.session !== null) this.#options.client.rename(tab.session, wanted);
    this.#change(changed(this.list, key, { name: wanted }));
  }

  /** Shows a session of the workspace in a tab: the one it has, or a new one. */
  open(info: SessionInfo): void {
    const tab = this.list.tabs.find(({ session }) => session === info.id);
    if (tab !== undefined) return this.activate(tab.key);
    const opened: Tab = { key: this.#options.newKey(), session: info.id, name: info.name };
    const flow = this.#flowFor(opened, true);
    this.#change(added(this.list, opened));
    flow.follow({ kind: 'reattach', info });
  }

  /** Takes a tab away. Its shell ends a while later, unless that is undone; with `keep` it runs on. */
  close(key: string, { keep = false } = {}): void {
    this.#close(key, keep ? 'runs on' : 'ends');
  }

  undoClose(): void {
    const closed = this.closed.takeLast();
    if (closed === null) return;
    const flow = this.#flowFor(closed.tab, true);
    this.#change(added(this.list, closed.tab, closed.index));
    void this.#plan(closed.tab, flow);
  }

  newShell(key: string): void {
    this.#flows.get(key)?.newShell();
  }

  /** Asks again for what could not be found before. */
  retry(): void {
    if (this.#finder.retry()) this.#look();
  }

  // ── The page ─────────────────────────────────────────────────────────────────────────────────────

  showOn(key: string, screen: SizedScreen, size: Size): void {
    this.#flows.get(key)?.showOn(screen, size);
  }

  /** Whether the page can be seen at all; of its terminals only the active one ever is. */
  setPageVisible(isVisible: boolean): void {
    this.#isPageVisible = isVisible;
    this.#applyVisibility();
  }

  /** Writes down where the person is; said when they leave, and never so often that it would cost anything. */
  keep(scrolled: (key: string) => number): void {
    this.#tabs.keep(scrolled);
  }

  // ── Inside ───────────────────────────────────────────────────────────────────────────────────────

  #flowFor(tab: Tab, returning: boolean): TerminalFlow {
    const { client } = this.#options;
    const flow = new TerminalFlow(
      {
        client,
        name: () => tabOf(this.list, tab.key)?.name ?? tab.name,
        bound: (info) => this.#bound(tab.key, info),
        changed: () => this.#changed(),
        whyEnded: (session) => this.#endReasons.of(session),
        noted: (note) => this.#noted(tab.key, note),
        exited: ({ exitCode, signal }) => this.#exited(tab.key, exitCode === 0 && signal === null),
      },
      returning,
    );
    this.#flows.set(tab.key, flow);
    return flow;
  }

  #close(key: string, session: 'ends' | 'runs on' | 'stays'): void {
    const tab = tabOf(this.list, key);
    const flow = this.#flows.get(key);
    if (tab === undefined || flow === undefined) return;
    const index = indexOf(this.list, key);
    this.#change(removed(this.list, key));
    this.#flows.delete(key);
    this.#losses.delete(key);
    flow.stop({ abandon: true });
    if (tab.session !== null && session !== 'runs on' && this.mayType)
      this.closed.add(tab, index, { ends: session === 'ends' });
  }

  /**
   * True when the tab is closed. It can be brought back for a while, to read what its program left. A session that this
   * window did not make stays in the list: whoever made it may want its output.
   */
  #exited(key: string, isClean: boolean): boolean {
    if (!isClean || !this.mayType || this.#options.closesOnExit?.() !== true) return false;
    this.#close(key, this.#flows.get(key)?.isOwn ? 'ends' : 'stays');
    return true;
  }

  #look(): void {
    this.closed.look(isOnline(this.#options.client));
    this.#finder.look();
    // The active one first: its screen is the one a person waits for.
    this.#activeFirst((_, flow) => flow.look());
    this.#changed();
  }

  #activeFirst(act: (tab: Tab, flow: TerminalFlow) => void): void {
    const { active, tabs } = this.list;
    const ordered = [...tabs].sort((a, b) => Number(b.key === active) - Number(a.key === active));
    for (const tab of ordered) {
      const flow = this.#flows.get(tab.key);
      if (flow !== undefined) act(tab, flow);
    }
  }

  #found({ sessions, layout, isOnline }: FoundSessions): void {
    if (this.list.tabs.length === 0) {
      this.#tabs.take(hydrate(sessions, layout, this.#options.newKey));
      for (const tab of this.list.tabs) this.#flowFor(tab, true);
      this.#applyVisibility();
    }
    if (isOnline) this.#settle(sessions);
    this.#changed();
  }

  #settle(sessions: readonly SessionInfo[]): void {
    this.#activeFirst((tab, flow) => {
      const plan = planFor(tab, sessions, this.mayType);
      if (plan !== null) flow.follow(plan);
      else this.close(tab.key, { keep: true });
    });
    if (this.list.tabs.length === 0) this.newTerminal();
  }

  async #plan(tab: Tab, flow: TerminalFlow): Promise<void> {
    try {
      const sessions = await this.#options.client.list({ lostToo: true });
      const plan = reopenPlan(tab, sessions) ?? planFor(tab, sessions, this.mayType);
      if (plan !== null) flow.follow(plan);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // The connection is lost: everything is matched again when it is back.
      this.#finder.lost();
      this.#look();
    }
  }

  /** Several places may lead to one session, as when another window has replaced one that ended: one tab stays. */
  #bound(key: string, info: SessionInfo): boolean {
    const { active, tabs } = this.list;
    const other = tabs.find((tab) => tab.session === info.id && tab.key !== key);
    if (other !== undefined) {
      this.close(key, { keep: true });
      if (active === key) this.activate(other.key);
      return false;
    }
    this.#tabs.bind(key, { session: info.id, name: info.name });
    return true;
  }

  #heard(news: SessionNews): void {
    if (news.type === 'session_closed') {
      const rule = endReasonOf(news.reason);
      if (rule !== null) for (const flow of this.#flows.values()) flow.closedBy(news.session, rule);
    }
    if (news.type !== 'session_renamed') return;
    this.#tabs.renamed(news.session, news.name);
    this.#changed();
  }

  /** What was lost in a terminal, until the person has dismissed it; null when nothing was. */
  loss(key: string): Loss | null {
    return this.#losses.get(key) ?? null;
  }

  dismissLoss(key: string): void {
    if (this.#losses.delete(key)) this.#changed();
  }

  #noted(key: string, note: Note): void {
    if (isAboutLoss(note))
      this.#losses.set(key, { sentence: this.#textOf(key, note), undelivered: note.undelivered });
    // What happened to a terminal that is not shown is told when it is.
    if (key !== this.list.active) {
      if (note.kind === 'replaced') this.#untold.set(key, note);
      return;
    }
    this.#notices.say(this.#textOf(key, note));
  }

  #textOf(key: string, note: Note): string {
    const { state } = this.#options.client;
    const graceMs = state.name === 'live' ? state.agent.graceMs : undefined;
    return noteText(note, { name: tabOf(this.list, key)?.name ?? '', graceMs });
  }

  #applyVisibility(): void {
    const { active, tabs } = this.list;
    for (const { key } of tabs)
      this.#flows.get(key)?.setVisible(this.#isPageVisible && key === active, this.#isPageVisible);
  }

  /** A person has changed the tabs. */
  #change(list: TabList): void {
    this.#tabs.change(list);
    this.#applyVisibility();
    const untold = this.#untold.get(list.active ?? '');
    if (list.active !== null && untold !== undefined) {
      this.#untold.delete(list.active);
      this.#noted(list.active, untold);
    }
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
