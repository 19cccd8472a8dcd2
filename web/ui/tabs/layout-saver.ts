/** Keeps in the registry what a browser without tabs starts from: the tabs that a person chose last, anywhere. */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Cancel, Clock } from '../../../protocol/clock.ts';
import { layoutOf } from './match-tabs.ts';
import type { TabList } from './tab-list.ts';

export type LayoutStore = Pick<WorkspaceClient, 'saveLayout'>;

/** A burst of changes is one message. */
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

  /** Saves now what was to be saved soon. */
  flush(): void {
    if (this.#due === null) return;
    this.stop();
    // Lost with the connection, the next change saves it.
    this.#client.saveLayout(layoutOf(this.#list())).catch(() => {});
  }

  stop(): void {
    this.#due?.();
    this.#due = null;
  }
}
