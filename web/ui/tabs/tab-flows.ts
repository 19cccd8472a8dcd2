/** The terminal flows of a window, one for each tab: made, shown, and ended with their tabs. */
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { EndReason, SessionInfo } from '../../../protocol/messages/session-info.ts';
import { EndReasons } from './end-reasons.ts';
import type { Note } from './flow-state.ts';
import type { OpenTabs } from './open-tabs.ts';
import { type Tab, tabOf } from './tab-list.ts';
import { TerminalFlow } from './terminal-flow.ts';

/**
 * What becomes of the session of a closed tab. `stays`: it has exited, and whoever created it may want its output; the
 * tab can be reopened to read it.
 */
export type ClosedSession = 'ends' | 'runs on' | 'stays';

interface TabFlowsOptions {
  readonly client: WorkspaceClient;
  readonly tabs: OpenTabs;
  readonly mayManage: () => boolean;
  /** Whether a terminal is on the page, be the page visible or not. */
  readonly isShown: (key: string) => boolean;
  /** Whether a tab closes when its program exits without an error. */
  readonly closesOnExit: () => boolean;
  readonly close: (key: string, session: ClosedSession) => void;
  readonly activate: (key: string) => void;
  readonly changed: (key: string) => void;
  readonly noted: (key: string, note: Note) => void;
}

export class TabFlows {
  readonly #options: TabFlowsOptions;
  readonly #flows = new Map<string, TerminalFlow>();
  readonly #endReasons: EndReasons;
  #isPageVisible = true;

  constructor(options: TabFlowsOptions) {
    this.#options = options;
    this.#endReasons = new EndReasons(options.client);
  }

  get(key: string): TerminalFlow | undefined {
    return this.#flows.get(key);
  }

  /** `returning`: the tab had a session before. */
  add(tab: Tab, returning: boolean): TerminalFlow {
    const { changed, client, noted, tabs } = this.#options;
    const { key } = tab;
    const flow = new TerminalFlow(
      {
        client,
        name: () => tabOf(tabs.list, key)?.name ?? tab.name,
        bound: (info) => this.#bound(key, info),
        changed: () => {
          if (!this.#isPageVisible) this.applyVisibility();
          changed(key);
        },
        whyEnded: (session) => this.#endReasons.of(session),
        noted: (note) => noted(key, note),
        exited: ({ exitCode, signal }) => this.#exited(key, exitCode === 0 && signal === null),
      },
      returning,
    );
    this.#flows.set(key, flow);
    return flow;
  }

  /** The tab was closed. */
  remove(key: string): void {
    const flow = this.#flows.get(key);
    this.#flows.delete(key);
    flow?.stop({ abandon: true });
  }

  /** The connection or the agent may have changed. */
  look(): void {
    this.activeFirst((_, flow) => flow.look());
  }

  /** Acts on every tab, on the active one first: it is the one the user is waiting for. */
  activeFirst(act: (tab: Tab, flow: TerminalFlow) => void): void {
    const { active, tabs } = this.#options.tabs.list;
    const ordered = [...tabs].sort((a, b) => Number(b.key === active) - Number(a.key === active));
    for (const tab of ordered) {
      const flow = this.#flows.get(tab.key);
      if (flow !== undefined) act(tab, flow);
    }
  }

  get isPageVisible(): boolean {
    return this.#isPageVisible;
  }

  setPageVisible(isVisible: boolean): void {
    this.#isPageVisible = isVisible;
    this.applyVisibility();
  }

  /**
   * Of a visible page, only the terminals of the active tab are visible. A hidden page shows nothing but its title and its icon, so
   * it is told about the active terminal as long as these show its progress, and of the others when they want
   * attention.
   */
  applyVisibility(): void {
    const { isShown, tabs } = this.#options;
    const { list } = tabs;
    for (const { key } of list.tabs) {
      const flow = this.#flows.get(key);
      const isActive = key === list.active;
      const isDescribed = this.#isPageVisible || (isActive && flow?.session?.description?.progress != null);
      flow?.setVisible(this.#isPageVisible && isShown(key), isDescribed || 'attention');
    }
  }

  /** A rule has ended the session. */
  closedBy(session: string, rule: EndReason): void {
    for (const flow of this.#flows.values()) flow.closedBy(session, rule);
  }

  stop(): void {
    for (const flow of this.#flows.values()) flow.stop();
  }

  /**
   * Two tabs may end up with the same session, for example when another window has replaced one that ended. One tab
   * stays.
   */
  #bound(key: string, info: SessionInfo): boolean {
    const { activate, close, tabs } = this.#options;
    const { active } = tabs.list;
    const other = tabs.list.tabs.find((tab) => tab.session === info.id && tab.key !== key);
    if (other !== undefined) {
      close(key, 'runs on');
      if (active === key) activate(other.key);
      return false;
    }
    tabs.bind(key, { session: info.id, name: info.name });
    return true;
  }

  /** Returns true when the tab is closed. It can be reopened for a few seconds, to read what its program printed. */
  #exited(key: string, isClean: boolean): boolean {
    const { close, closesOnExit, mayManage } = this.#options;
    if (!isClean || !mayManage() || !closesOnExit()) return false;
    close(key, this.#flows.get(key)?.isOwn ? 'ends' : 'stays');
    return true;
  }
}
