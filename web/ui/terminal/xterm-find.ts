/** Finds text in a terminal and its history. Loaded when somebody first looks for something. */
import type { ISearchOptions, SearchAddon } from '@xterm/addon-search';
import type { Terminal } from '@xterm/xterm';

export interface FoundText {
  /** Which of them is marked, from 1; 0 when none is. */
  readonly index: number;
  readonly count: number;
}

interface FindOptions {
  readonly caseSensitive: boolean;
  readonly regex: boolean;
}

/** Colours of what is found, and of the one among them that is gone to. */
export interface FindColours {
  readonly match: string;
  readonly active: string;
}

/** The code that searches. */
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

  /** Who hears what is found, until it is closed. */
  open(found: (found: FoundText) => void): void {
    this.#found = found;
  }

  /** Marks every place while somebody types. Rejects when the code for it cannot be had. */
  async look(text: string, options: FindOptions): Promise<void> {
    const turn = ++this.#turn;
    await this.#prepare();
    // The code may come for the second question before it comes for the first; the last one counts.
    if (turn === this.#turn) this.next(text, options, true);
  }

  /** Marks every place; goes to the next one, or while typing (`incremental`) stays at one that still fits. */
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

/** Half typed, a pattern may not be one yet. */
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
