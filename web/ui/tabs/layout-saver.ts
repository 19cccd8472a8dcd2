/** Saves the window's tabs in the registry. A browser that has no tabs of its own starts from the layout saved last. */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Cancel, Clock } from '../../../protocol/clock.ts';
import { layoutOf } from './match-tabs.ts';
import type { TabList } from './tab-list.ts';

export type LayoutStore = Pick<WorkspaceClient, 'saveLayout'>;

/** Combines a burst of changes into one message. */
const SAVE_AFTER_MS = 500;

export class LayoutSaver {
  readonly #client: LayoutStore;
  readonly #clock: Clock;
  readonly #list: () => TabList;
  #due: Cancel | null = null;

  constructor(client: LayoutStore, clock: Clock, list: () => TabList) {
    this.#client = client;
    this.#clock = clock;
    this.#list = list;
  }

  soon(): void {
    this.#due ??= this.#clock.after(SAVE_AFTER_MS, () => this.flush());
  }

  /** Saves a pending change now. */
  flush(): void {
    if (this.#due === null) return;
    this.stop();
    // If the connection is lost, the next change saves the layout.
    this.#client.saveLayout(layoutOf(this.#list())).catch(() => {});
  }

  stop(): void {
    this.#due?.();
    this.#due = null;
  }
}
