/** What the list of tabs consists of. */
import type { PaneTree } from './pane-tree.ts';

export interface Tab {
  /** The tab's own id. It survives when the session behind the tab is replaced, and identifies the tab to the agent. */
  readonly key: string;
  /** The session behind the tab, once it is known. */
  readonly session: string | null;
  readonly name: string;
}

export interface TabList {
  readonly tabs: readonly Tab[];
  /** Key of the active tab; null only when there are no tabs. */
  readonly active: string | null;
  /** The terminals that share a tab; absent if none do. */
  readonly splits?: readonly Split[];
}

export interface Split {
  readonly tree: PaneTree;
  /** The pane that has, or had last, the keyboard. */
  readonly active: string;
  /** Whether the active pane has all of the room for the moment. */
  readonly isZoomed: boolean;
}
