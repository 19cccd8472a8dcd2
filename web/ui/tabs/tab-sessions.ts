/** Decides which session each tab shows: after a load, after a reconnect, and when a closed tab is reopened. */
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import { Refusal } from '../../../protocol/errors.ts';
import type { Layout } from '../../../protocol/messages/message-parts.ts';
import type { SessionInfo } from '../../../protocol/messages/session-info.ts';
import { hydrate, planFor, reopenPlan } from './match-tabs.ts';
import type { OpenTabs } from './open-tabs.ts';
import { type FoundSessions, SessionFinder } from './session-finder.ts';
import type { TabFlows } from './tab-flows.ts';
import type { Tab } from './tab-list.ts';
import type { TerminalFlow } from './terminal-flow.ts';

interface TabSessionsOptions {
  readonly client: WorkspaceClient;
  readonly tabs: OpenTabs;
  readonly flows: TabFlows;
  readonly newKey: () => string;
  readonly mayManage: () => boolean;
  /** The tab has nothing to show. */
  readonly close: (key: string) => void;
  readonly newTerminal: () => void;
  readonly changed: () => void;
  /** What failed may be tried again. */
  readonly look: () => void;
}

export class TabSessions {
  readonly #options: TabSessionsOptions;
  readonly #finder: SessionFinder;

  constructor(options: TabSessionsOptions) {
    this.#options = options;
    this.#finder = new SessionFinder({
      client: options.client,
      needsTabs: () => options.tabs.list.tabs.length === 0,
      found: (found) => this.#found(found),
      failed: options.look,
    });
  }

  get isSettled(): boolean {
    return this.#finder.isSettled;
  }

  /** Why the sessions could not be listed; null when nothing failed. */
  get trouble(): string | null {
    return this.#finder.trouble;
  }

  /** The connection or the agent may have changed. */
  look(): void {
    this.#finder.look();
  }

  /** Retries a failed request for the sessions. */
  retry(): void {
    if (this.#finder.retry()) this.#options.look();
  }

  stop(): void {
    this.#finder.stop();
  }

  async reopen(tab: Tab, flow: TerminalFlow): Promise<void> {
    const { client, look, mayManage } = this.#options;
    try {
      const sessions = await client.list({ lostToo: true });
      const plan = reopenPlan(tab, sessions) ?? planFor(tab, sessions, mayManage());
      if (plan !== null) flow.follow(plan);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // The connection is lost: all tabs are matched again when it is back.
      this.#finder.lost();
      look();
    }
  }

  #found({ sessions, layout, isOnline }: FoundSessions): void {
    const { changed, tabs } = this.#options;
    if (tabs.list.tabs.length === 0) this.#fill(sessions, layout);
    if (isOnline) this.#settle(sessions);
    changed();
  }

  #fill(sessions: readonly SessionInfo[], layout: Layout | null): void {
    const { flows, newKey, tabs } = this.#options;
    tabs.take(hydrate(sessions, layout, newKey));
    for (const tab of tabs.list.tabs) flows.add(tab, true);
    flows.applyVisibility();
  }

  #settle(sessions: readonly SessionInfo[]): void {
    const { mayManage, newTerminal, tabs } = this.#options;
    this.#follow(sessions);
    if (tabs.list.tabs.length > 0) return;
    if (mayManage()) return newTerminal();
    // The tabs that this window has kept were those of another login.
    this.#fill(sessions, null);
    this.#follow(sessions);
  }

  #follow(sessions: readonly SessionInfo[]): void {
    const { close, flows, mayManage } = this.#options;
    flows.activeFirst((tab, flow) => {
      const plan = planFor(tab, sessions, mayManage());
      if (plan !== null) flow.follow(plan);
      else close(tab.key);
    });
  }
}
