/** Searches a terminal and its history. The search code is loaded on the first search. */
import type { ISearchOptions, SearchAddon } from '@xterm/addon-search';
import type { IBuffer, IBufferLine, ITerminalAddon, Terminal } from '@xterm/xterm';

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
    this.#terminal.loadAddon(seeing(this.#search));
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

/** Shows the search code a terminal without lines of extreme length. */
function seeing(search: SearchAddon): ITerminalAddon {
  return {
    activate: (terminal) => search.activate(withSearchableLines(terminal)),
    dispose: () => search.dispose(),
  };
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

/** A part has at least this many cells, and less than twice as many. */
const PART_MIN_CELLS = 4000;

type Searched = Pick<Terminal, 'buffer' | 'cols'>;

/**
 * The terminal as the search code sees it, without lines of extreme length; everything else is the terminal's own.
 *
 * A line that is wrapped over thousands of rows is one line to the search code. For every match it goes back to the
 * beginning of the line, one call deeper for each row: after some hundred kilobytes without a newline it exceeded the
 * stack, and nothing could be found any more. So such a line is searched in parts. A match across two parts is not
 * found; lines of ordinary length have only one.
 */
export function withSearchableLines<T extends Searched>(terminal: T): T {
  let last: { readonly active: IBuffer; readonly cols: number; readonly seen: IBuffer } | undefined;
  const active = () => {
    const now = { active: terminal.buffer.active, cols: terminal.cols };
    if (last?.active !== now.active || last.cols !== now.cols)
      last = { ...now, seen: inParts(now.active, Math.ceil(PART_MIN_CELLS / now.cols)) };
    return last.seen;
  };
  const buffer = Object.defineProperty({}, 'active', { get: active });
  return Object.create(terminal, { buffer: { value: buffer } });
}

/** Parts begin at fixed rows, and only where the line has gone on for `partRows` already. */
function inParts(buffer: IBuffer, partRows: number): IBuffer {
  const isWrapped = (row: number) => buffer.getLine(row)?.isWrapped === true;
  const beginsPart = (row: number) => {
    if (row % partRows !== 0) return false;
    for (let above = 1; above < partRows; above++) if (!isWrapped(row - above)) return false;
    return true;
  };
  const getLine = (row: number): IBufferLine | undefined => {
    const line = buffer.getLine(row);
    if (line?.isWrapped !== true || !beginsPart(row)) return line;
    return Object.create(line, { isWrapped: { value: false } });
  };
  return Object.create(buffer, { getLine: { value: getLine } });
}
