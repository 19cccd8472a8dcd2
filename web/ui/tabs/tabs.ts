/**
 * The terminal tabs of one window: which exist, the state of each, and how they are restored after a reload or a lost
 * connection.
 */

import type { SessionNews, WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Clock } from '../../../protocol/clock.ts';
import { Refusal } from '../../../protocol/errors.ts';
import type { Size } from '../../../protocol/frame.ts';
import { endReasonOf, type SessionInfo } from '../../../protocol/session-info.ts';
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
  /** Makes random ids for tabs. */
  readonly newKey: () => string;
  /** Whether a tab closes when its program exits without an error. */
  readonly closesOnExit?: () => boolean;
}

/** Something the user has lost: a shell, or typed input. */
export interface Loss {
  readonly sentence: string;
  /** Readable text that was typed and reached no program. */
  readonly undelivered: string;
}

export class Tabs {
  readonly #options: DeskOptions;
  readonly #flows = new Map<string, TerminalFlow>();
  readonly #listeners = new Set<() => void>();
  #isPageVisible = true;
  /** Notes about replaced shells in tabs that have not been active since. */
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

  /** Why the tabs could not be found; null when nothing failed. */
  get trouble(): string | null {
    return this.#finder.trouble;
  }

  get mayType(): boolean {
    return this.#options.client.role !== 'viewer';
  }

  flow(key: string): TerminalFlow | undefined {
    return this.#flows.get(key);
  }

  /** The current notice, which needs no answer; empty after a while. */
  get notice(): string {
    return this.#notices.text;
  }

  /** How many lines the user had scrolled up before a reload. */
  scrolled(key: string): number {
    return this.#tabs.scrolled(key);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // ── Called for the user ──────────────────────────────────────────────────────────────────────────

  newTerminal(): void {
    if (!this.mayType) return;
    const key = this.#options.newKey();
    const tab: Tab = { key, session: null, name: freeName(this.list) };
    const flow = this.#flowFor(tab, false);
    this.#change(added(this.list, tab));
    // A new tab passes its own key as the session it replaces, so that asking twice creates one session.
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
    const flow = this.#flowFor(opened, true);
    this.#change(added(this.list, opened));
    flow.follow({ kind: 'reattach', info });
  }

  /** Closes a tab. Its shell ends a few seconds later unless the user undoes that; with `keep` the shell runs on. */
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

  /** Retries a failed request for the sessions. */
  retry(): void {
    if (this.#finder.retry()) this.#look();
  }

  // ── Called by the page ───────────────────────────────────────────────────────────────────────────

  showOn(key: string, screen: SizedScreen, size: Size): void {
    this.#flows.get(key)?.showOn(screen, size);
  }

  /** Whether the page is visible. Of its terminals, only the active one is ever visible. */
  setPageVisible(isVisible: boolean): void {
    this.#isPageVisible = isVisible;
    this.#applyVisibility();
  }

  /** Stores the scroll positions. Called when the user leaves the page, so its cost does not matter. */
  keep(scrolled: (key: string) => number): void {
    this.#tabs.keep(scrolled);
  }

  // ── Internals ────────────────────────────────────────────────────────────────────────────────────

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
   * Returns true when the tab is closed. It can be reopened for a few seconds, to read what its program printed. A
   * session that this window did not create stays in the list, because its creator may want its output.
   */
  #exited(key: string, isClean: boolean): boolean {
    if (!isClean || !this.mayType || this.#options.closesOnExit?.() !== true) return false;
    this.#close(key, this.#flows.get(key)?.isOwn ? 'ends' : 'stays');
    return true;
  }

  #look(): void {
    this.closed.look(isOnline(this.#options.client));
    this.#finder.look();
    // The active tab first: it is the one the user is waiting for.
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
      // The connection is lost: all tabs are matched again when it is back.
      this.#finder.lost();
      this.#look();
    }
  }

  /**
   * Two tabs may end up with the same session, for example when another window has replaced one that ended. One tab
   * stays.
   */
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

  /** What was lost in a terminal, until the user dismisses it; null when nothing was. */
  loss(key: string): Loss | null {
    return this.#losses.get(key) ?? null;
  }

  dismissLoss(key: string): void {
    if (this.#losses.delete(key)) this.#changed();
  }

  #noted(key: string, note: Note): void {
    if (isAboutLoss(note))
      this.#losses.set(key, { sentence: this.#textOf(key, note), undelivered: note.undelivered });
    // A note about an inactive tab is shown when the tab becomes active.
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

  /** The user has changed the tabs. */
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
