/** Searches a terminal and its history. The search code is loaded on the first search. */
import type { ISearchOptions, SearchAddon } from '@xterm/addon-search';
import type { Terminal } from '@xterm/xterm';

export interface FoundText {
  /** Which match is active, from 1; 0 when none is. */
  readonly index: number;
  readonly count: number;
}

interface FindOptions {
  readonly caseSensitive: boolean;
  readonly regex: boolean;
}

/** Background colours of the matches and of the active match. */
export interface FindColours {
  readonly match: string;
  readonly active: string;
}

/** Loads the search code. */
export type LoadSearch = () => Promise<{ readonly SearchAddon: new () => SearchAddon }>;

export class XtermFind {
  readonly #terminal: Pick<Terminal, 'clearSelection' | 'loadAddon'>;
  readonly #colours: () => FindColours;
  readonly #load: LoadSearch;
  #search: SearchAddon | null = null;
  #found: (found: FoundText) => void = () => {};
  #turn = 0;

  constructor(
    terminal: Pick<Terminal, 'clearSelection' | 'loadAddon'>,
    colours: () => FindColours,
    load: LoadSearch = () => import('@xterm/addon-search'),
  ) {
    this.#terminal = terminal;
    this.#colours = colours;
    this.#load = load;
  }

  /** Sets who is told of the matches, until `close`. */
  open(found: (found: FoundText) => void): void {
    this.#found = found;
  }

  /** Marks every match while the user types. Rejects when the search code cannot be loaded. */
  async look(text: string, options: FindOptions): Promise<void> {
    const turn = ++this.#turn;
    await this.#prepare();
    // The code may load for the second query before it loads for the first; only the last query counts.
    if (turn === this.#turn) this.next(text, options, true);
  }

  /** Marks every match and goes to the next one. While typing (`incremental`) it stays at a match that still fits. */
  next(text: string, options: FindOptions, incremental = false): void {
    this.#go((search, all) => search.findNext(text, { ...all, incremental }), text, options);
  }

  previous(text: string, options: FindOptions): void {
    this.#go((search, all) => search.findPrevious(text, all), text, options);
  }

  close(): void {
    this.#turn++;
    this.#found = () => {};
    this.#search?.clearDecorations();
    this.#terminal.clearSelection();
  }

  async #prepare(): Promise<void> {
    if (this.#search !== null) return;
    const { SearchAddon } = await this.#load();
    if (this.#search !== null) return;
    this.#search = new SearchAddon();
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      this.#found({ index: resultIndex + 1, count: resultCount }),
    );
    this.#terminal.loadAddon(this.#search);
  }

  #go(go: (search: SearchAddon, all: ISearchOptions) => boolean, text: string, options: FindOptions): void {
    if (this.#search === null) return;
    if (text === '' || (options.regex && !isPattern(text))) {
      this.#search.clearDecorations();
      return this.#found({ index: 0, count: 0 });
    }
    if (!go(this.#search, { ...options, decorations: marksOf(this.#colours()) }))
      this.#found({ index: 0, count: 0 });
  }
}

/** A half-typed pattern may not be valid yet. */
function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}

function marksOf({ match, active }: FindColours): NonNullable<ISearchOptions['decorations']> {
  return {
    matchBackground: match,
    activeMatchBackground: active,
    matchOverviewRuler: match,
    activeMatchColorOverviewRuler: active,
  };
}
