/** Which terminals of a window are on the page, and what the user does with the panes of a tab. */
import type { BranchPath } from './pane-tree.ts';
import { type Arrangement, arrangementOf, dividerMoved, zoomToggled } from './splits.ts';
import type { TabList } from './tab-list.ts';

interface TabPanesOptions {
  readonly list: () => TabList;
  /** The user has changed the tabs. */
  readonly change: (list: TabList) => void;
  /** Others are shown, although the tabs are the same. */
  readonly rearranged: () => void;
}

export class TabPanes {
  readonly #options: TabPanesOptions;
  #isNarrow = false;
  /** Of the last list, because it is asked for every terminal. */
  #known: { readonly list: TabList; readonly isNarrow: boolean; readonly arrangement: Arrangement } | null =
    null;

  constructor(options: TabPanesOptions) {
    this.#options = options;
  }

  /** What is on the page. A page in the background has it too. */
  get arrangement(): Arrangement {
    const list = this.#options.list();
    const isNarrow = this.#isNarrow;
    if (this.#known?.list !== list || this.#known.isNarrow !== isNarrow)
      this.#known = { list, isNarrow, arrangement: arrangementOf(list, isNarrow) };
    return this.#known.arrangement;
  }

  isShown(key: string): boolean {
    return this.arrangement.areas.has(key);
  }

  get isNarrow(): boolean {
    return this.#isNarrow;
  }

  /** Whether there is room for one pane at a time only. */
  setNarrow(isNarrow: boolean): void {
    if (this.#isNarrow === isNarrow) return;
    this.#isNarrow = isNarrow;
    this.#options.rearranged();
  }

  /** Moves a divider of the tab that `key` is in. */
  moveDivider(key: string, path: BranchPath, percent: number): void {
    this.#options.change(dividerMoved(this.#options.list(), key, path, percent));
  }

  /** Gives a pane all of the room of its tab, or takes it back. */
  toggleZoom(key: string): void {
    this.#options.change(zoomToggled(this.#options.list(), key));
  }
}
