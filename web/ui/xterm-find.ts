/** Finds text in a terminal and its history. Loaded when somebody first looks for something. */
import type { ISearchOptions, SearchAddon } from '@xterm/addon-search';
import type { Terminal } from '@xterm/xterm';

export interface Found {
  /** Which of them is marked, from 1; 0 when none is. */
  readonly index: number;
  readonly count: number;
}

export interface FindOptions {
  readonly caseSensitive: boolean;
  readonly regex: boolean;
}

/** Colours of what is found, and of the one among them that is gone to. */
export interface FindColours {
  readonly match: string;
  readonly active: string;
}

export class XtermFind {
  readonly #terminal: Terminal;
  readonly #colours: () => FindColours;
  #search: SearchAddon | null = null;
  #found: (found: Found) => void = () => {};

  constructor(terminal: Terminal, colours: () => FindColours) {
    this.#terminal = terminal;
    this.#colours = colours;
  }

  /** Rejects when the code for it can not be had. */
  async open(found: (found: Found) => void): Promise<void> {
    this.#found = found;
    if (this.#search !== null) return;
    const { SearchAddon } = await import('@xterm/addon-search');
    if (this.#search !== null) return;
    this.#search = new SearchAddon();
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      this.#found({ index: resultIndex + 1, count: resultCount }),
    );
    this.#terminal.loadAddon(this.#search);
  }

  /** Marks every place; goes to the next one, or while typing (`incremental`) stays at one that still fits. */
  next(text: string, options: FindOptions, incremental = false): void {
    this.#go((search, all) => search.findNext(text, { ...all, incremental }), text, options);
  }

  previous(text: string, options: FindOptions): void {
    this.#go((search, all) => search.findPrevious(text, all), text, options);
  }

  close(): void {
    this.#search?.clearDecorations();
    this.#terminal.clearSelection();
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
