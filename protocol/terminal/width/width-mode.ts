/**
 * Makes a terminal measure text with our models. Both the agent's terminal and the page's use this, so that they agree.
 *
 * Programs switch between the models with DEC private mode 2027, which is on by default: with it, text is measured by
 * grapheme clusters, without it by code points.
 */
import { OLD_WIDTHS } from './old-widths.ts';
import { CLUSTERS, CODE_POINTS, type WidthModel } from './width-model.ts';

const WIDTH_VERSIONS = [CLUSTERS.version, CODE_POINTS.version, OLD_WIDTHS] as const;

/** The version that a setting names. */
export const versionOf = (setting: 'clusters' | 'code-points'): string =>
  (setting === 'clusters' ? CLUSTERS : CODE_POINTS).version;

export const CLUSTER_MODE = 2027;

/** Characters below take a column, whatever is before them. */
const FIRST_ZERO_WIDTH = 0xad;

/** The parts of xterm that are used here, in the page or headless. */
interface MeasuringTerminal {
  readonly unicode: { register(model: WidthModel): void; activeVersion: string };
}

interface MeasuredLine {
  hasContent(column: number): number;
  getWidth(column: number): number;
}

export interface MeasuringCore {
  readonly buffers: {
    readonly active: {
      readonly x: number;
      readonly y: number;
      readonly ybase: number;
      readonly lines: { get(row: number): MeasuredLine | undefined };
    };
  };
  readonly _inputHandler: {
    readonly _parser: { readonly precedingJoinState: number; setPrintHandler(print: Print): void };
    print: Print;
  };
  registerCsiHandler(
    id: { readonly prefix?: string; readonly intermediates?: string; readonly final: string },
    handle: (parameters: { readonly params: Int32Array; readonly length: number }) => boolean,
  ): void;
  registerEscHandler(id: { readonly final: string }, handle: () => boolean): void;
}

type Print = (data: Uint32Array, start: number, end: number) => void;

export class WidthMode {
  readonly #terminal: MeasuringTerminal;
  #initial: string = CLUSTERS.version;

  constructor(terminal: MeasuringTerminal, core: MeasuringCore) {
    this.#terminal = terminal;
    terminal.unicode.register(CLUSTERS);
    terminal.unicode.register(CODE_POINTS);
    this.reset();
    for (const final of ['h', 'l'])
      core.registerCsiHandler({ prefix: '?', final }, ({ params, length }) => {
        if (params.subarray(0, length).includes(CLUSTER_MODE)) this.#set(final === 'h');
        return false;
      });
    core.registerCsiHandler({ intermediates: '!', final: 'p' }, () => this.reset());
    core.registerEscHandler({ final: 'c' }, () => this.reset());
    dropStrayMarks(core);
  }

  /** The model of a new session, to which a reset returns. */
  get initial(): string {
    return this.#initial;
  }

  /** Whether text is measured by clusters; undefined with the old tables, which do not have the mode. */
  get isClustered(): boolean | undefined {
    if (this.#initial === OLD_WIDTHS) return undefined;
    return this.#terminal.unicode.activeVersion === CLUSTERS.version;
  }

  /** Begins anew with this version of the model. A version from the future is taken for the newest that is known. */
  begin(version: string): void {
    const isKnown = (WIDTH_VERSIONS as readonly string[]).includes(version);
    this.#initial = isKnown ? version : CLUSTERS.version;
    this.reset();
  }

  /** False, as a parser's handler that leaves the rest to xterm. */
  reset(): false {
    this.#terminal.unicode.activeVersion = this.#initial;
    return false;
  }

  #set(isClustered: boolean): void {
    if (this.#initial === OLD_WIDTHS) return;
    this.#terminal.unicode.activeVersion = (isClustered ? CLUSTERS : CODE_POINTS).version;
  }
}

/**
 * A mark that follows a cursor movement or another sequence joins the cell on the left. Where there is none, or it is
 * empty, xterm would give the mark a cell without a width and move the cursor over it. Such a mark is dropped.
 */
function dropStrayMarks(core: MeasuringCore): void {
  const { _inputHandler: input } = core;
  const { _parser: parser } = input;
  // Instead of xterm's own handler, which only calls `print`. It runs once for every stretch of text.
  parser.setPrintHandler((data, start, end) => {
    if ((data[start] as number) < FIRST_ZERO_WIDTH || parser.precedingJoinState !== 0 || hasLeftCell(core))
      return input.print(data, start, end);
    let from = start;
    while (from < end && CLUSTERS.wcwidth(data[from] ?? 0) === 0) from++;
    if (from < end) input.print(data, from, end);
  });
}

/** Whether the cursor is right behind a character, and not on the second half of one. */
function hasLeftCell({ buffers: { active } }: MeasuringCore): boolean {
  const { x, y, ybase, lines } = active;
  const line = lines.get(ybase + y);
  if (line === undefined || x === 0) return false;
  const width = line.getWidth(x - 1);
  return width === 0 ? x > 1 && line.hasContent(x - 2) !== 0 : width === 1 && line.hasContent(x - 1) !== 0;
}
