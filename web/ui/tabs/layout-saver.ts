/** Saves the window's tabs in the registry. A browser that has no tabs of its own starts from the layout saved last. */

import type { WorkspaceClient } from '../../../client/workspace-client.ts';
import type { Cancel, Clock } from '../../../protocol/clock.ts';
import { CLIENT_CONTROL_MAX_BYTES } from '../../../protocol/limits.ts';
import type { Layout } from '../../../protocol/messages/message-parts.ts';
import { layoutOf } from './match-tabs.ts';
import type { TabList } from './tab-list.ts';

/** The message around a layout. */
const MESSAGE_BYTES = 256;

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
    this.#client.saveLayout(fitting(layoutOf(this.#list()))).catch(() => {});
  }

  stop(): void {
    this.#due?.();
    this.#due = null;
  }
}

/** Very many terminals with very long names leave no room for splits in a message. The tabs matter more. */
export function fitting(layout: Layout): Layout {
  const { length } = new TextEncoder().encode(JSON.stringify(layout));
  return length + MESSAGE_BYTES <= CLIENT_CONTROL_MAX_BYTES ? layout : { ...layout, splits: [] };
}
