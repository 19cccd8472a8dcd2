/** Closes tabs and brings them back: with their shells while those have not ended, otherwise with new ones. */
import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { ClosedTabs, EndedTab } from './closed-tabs.ts';
import { rejoined, splitOf } from './splits.ts';
import type { ClosedSession, TabFlows } from './tab-flows.ts';
import { added, indexOf, removed, type TabList, tabOf } from './tab-list.ts';
import type { TabNotes } from './tab-notes.ts';
import type { TabSessions } from './tab-sessions.ts';

interface TabClosingOptions {
  readonly client: WorkspaceClient;
  readonly closed: ClosedTabs;
  readonly flows: TabFlows;
  readonly notes: TabNotes;
  readonly sessions: () => TabSessions;
  readonly list: () => TabList;
  readonly change: (list: TabList) => void;
  readonly mayManage: () => boolean;
  readonly newTerminal: (ended: EndedTab) => void;
}

export class TabClosing {
  readonly #options: TabClosingOptions;
  /** How many times tabs were closed. */
  #batches = 0;

  constructor(options: TabClosingOptions) {
    this.#options = options;
  }

  /** Closes tabs together. */
  close(keys: readonly string[], session: ClosedSession): void {
    this.#batches++;
    for (const key of keys) this.#close(key, session);
  }

  undo(): void {
    const { change, closed, flows, list, sessions } = this.#options;
    for (const { index, split, tab } of closed.takeLast()) {
      const flow = flows.add(tab, true);
      change(rejoined(added(list(), tab, index), tab.key, split));
      void sessions().reopen(tab, flow);
    }
  }

  /** Brings back what was closed last. If its shell has ended, that is a new one in the same directory. */
  reopen(): void {
    const { closed, list, mayManage, newTerminal, notes } = this.#options;
    if (closed.last !== null) return this.undo();
    const ended = mayManage() ? closed.takeEnded() : null;
    if (ended === null) return;
    newTerminal(ended);
    const { active } = list();
    if (active !== null) notes.add(active, { kind: 'reopened', cwd: ended.cwd });
  }

  #close(key: string, session: ClosedSession): void {
    const { change, closed, flows, list, mayManage, notes } = this.#options;
    const tab = tabOf(list(), key);
    if (tab === undefined || flows.get(key) === undefined) return;
    const index = indexOf(list(), key);
    const split = splitOf(list(), key);
    change(removed(list(), key));
    notes.forget(key);
    flows.remove(key);
    if (tab.session === null || session === 'runs on' || !mayManage()) return;
    closed.add({ tab, index, split, batch: this.#batches }, { ends: session === 'ends' });
    void this.#noteDirectory(tab.session);
  }

  /** For a new shell in the same place, once this one has ended. */
  async #noteDirectory(session: string): Promise<void> {
    const { client, closed } = this.#options;
    const infos = await client.list().catch(() => []);
    const cwd = infos.find(({ id }) => id === session)?.cwd;
    if (cwd != null) closed.found(session, cwd);
  }
}
