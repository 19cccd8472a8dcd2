/**
 * Bounds the work of REP (`CSI b`), which prints the last character again. The number of repetitions is bounded by
 * count-bounds.ts, but not what one repetition costs: a character with 31 combining marks costs several hundred times as
 * much as one without, and in insert mode every repetition moves the rest of its row. Ten bytes could keep a terminal
 * busy for a third of a second. The agent and the page both apply this, so that they show the same screen.
 *
 * Programs repeat plain characters, for which this changes nothing.
 */

interface Line {
  readonly _data: Uint32Array;
  readonly _combined: Readonly<Record<number, string | undefined>>;
}

/** The xterm internals that this needs, in the page or headless. */
export interface RepeatingCore {
  readonly cols: number;
  readonly rows: number;
  readonly buffers: {
    readonly active: {
      readonly x: number;
      readonly y: number;
      readonly ybase: number;
      readonly lines: { get(row: number): object | undefined };
    };
  };
  readonly coreService: { readonly modes: { readonly insertMode: boolean } };
  readonly _inputHandler: { readonly _parser: { readonly precedingJoinState: number } };
  /** The parameters are shared: writing to them changes what xterm's own handler sees. */
  registerCsiHandler(
    id: { readonly final: string },
    handle: (lent: { readonly params: Int32Array }) => boolean,
  ): void;
}

/** The work of one REP, in screens of plain characters. A whole row can still be repeated in insert mode. */
const WORK_MAX_SCREENS = 4;

export function boundRepeats(core: RepeatingCore): void {
  core.registerCsiHandler({ final: 'b' }, ({ params }) => {
    const most = Math.floor((WORK_MAX_SCREENS * core.cols * core.rows) / workOf(core));
    params[0] = Math.min(params[0] ?? 0, Math.max(1, most));
    return false;
  });
}

/** What one repetition costs; a plain character costs 1. Adding a mark costs as much as the text so far is long. */
function workOf(core: RepeatingCore): number {
  return repeatedChars(core) ** 2 * (core.coreService.modes.insertMode ? core.cols : 1);
}

const WORDS_PER_CELL = 3;
const IS_COMBINED = 0x200000;

/** The length of the text that xterm repeats: that of the cell before the cursor. */
function repeatedChars({ buffers: { active }, _inputHandler: { _parser } }: RepeatingCore): number {
  const width = (_parser.precedingJoinState >> 1) & 3;
  const column = active.x - width;
  const line = active.lines.get(active.ybase + active.y) as Line | undefined;
  const content = line?._data[column * WORDS_PER_CELL] ?? 0;
  return (content & IS_COMBINED) === 0 ? 1 : (line?._combined[column]?.length ?? 1);
}
