/**
 * The modes that xterm does not have, and truthful answers about modes (DECRQM).
 *
 *   2031  reports of the colour scheme: when it changes. `CSI ? 996 n` asks for one.
 *   2048  reports of the size: when the mode is set, and when the size changes
 *
 * xterm knows its other modes and answers about them itself. A reset ends these two as it ends xterm's.
 */
import type { Size } from '../../../protocol/frame.ts';
import { RESIZE_REPORTS_MODE, SCHEME_REPORTS_MODE } from '../../../protocol/terminal/device-queries.ts';
import { CELL_PX } from '../../../protocol/terminal/images/cell-px.ts';
import { CLUSTER_MODE } from '../../../protocol/terminal/width/width-mode.ts';
import type { Scheme } from '../xterm/palette.ts';
import type { XtermCore } from '../xterm/xterm.ts';

interface ModeOptions {
  readonly scheme: () => Scheme;
  /** Whether text is measured by clusters; undefined if the terminal does not have that mode. */
  readonly isClustered: () => boolean | undefined;
  /** Answers what the program just asked. */
  readonly answer: (text: string) => void;
}

const BLINK_MODE = 12;
const SCHEME_QUERY = 996;

export class Modes {
  readonly #core: XtermCore;
  readonly #options: ModeOptions;
  #reportsScheme = false;
  #reportsSize = false;

  constructor(core: XtermCore, options: ModeOptions) {
    this.#core = core;
    this.#options = options;
    for (const final of ['h', 'l'])
      core.registerCsiHandler({ prefix: '?', final }, ({ params, length }) =>
        this.#set(params.subarray(0, length), final === 'h'),
      );
    core.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, ({ params }) =>
      this.#answerMode(params[0] ?? 0),
    );
    core.registerCsiHandler({ prefix: '?', final: 'n' }, ({ params }) => {
      if (params[0] !== SCHEME_QUERY) return false;
      options.answer(schemeReport(options.scheme()));
      return true;
    });
    core.registerCsiHandler({ intermediates: '!', final: 'p' }, () => this.#reset());
    core.registerEscHandler({ final: 'c' }, () => this.#reset());
  }

  get reportsScheme(): boolean {
    return this.#reportsScheme;
  }

  /** The colour scheme that the program was told; null if it does not want to be told when it changes. */
  get toldScheme(): Scheme | null {
    return this.#reportsScheme ? this.#options.scheme() : null;
  }

  get reportsSize(): boolean {
    return this.#reportsSize;
  }

  /** The sequences that set these modes in a fresh terminal. */
  get written(): string {
    const scheme = this.#reportsScheme ? `\x1b[?${SCHEME_REPORTS_MODE}h` : '';
    return scheme + (this.#reportsSize ? `\x1b[?${RESIZE_REPORTS_MODE}h` : '');
  }

  #set(modes: Int32Array, isSet: boolean): false {
    if (modes.includes(SCHEME_REPORTS_MODE)) this.#reportsScheme = isSet;
    if (!modes.includes(RESIZE_REPORTS_MODE)) return false;
    this.#reportsSize = isSet;
    if (isSet) this.#options.answer(sizeReport(this.#core));
    return false;
  }

  #reset(): false {
    this.#reportsScheme = false;
    this.#reportsSize = false;
    return false;
  }

  #answerMode(mode: number): boolean {
    const isSet = this.#stateOf(mode);
    if (isSet === undefined) return false;
    this.#options.answer(`\x1b[?${mode};${isSet ? 1 : 2}$y`);
    return true;
  }

  /** Undefined: xterm knows the answer. */
  #stateOf(mode: number): boolean | undefined {
    const { options, coreService } = this.#core;
    switch (mode) {
      case BLINK_MODE:
        // The cursor's style (DECSCUSR) also says whether it blinks, and wins; xterm's own answer leaves it out.
        return coreService.decPrivateModes.cursorBlink ?? options.cursorBlink;
      case CLUSTER_MODE:
        return this.#options.isClustered();
      case SCHEME_REPORTS_MODE:
        return this.#reportsScheme;
      case RESIZE_REPORTS_MODE:
        return this.#reportsSize;
      default:
        return undefined;
    }
  }
}

export function schemeReport(scheme: Scheme): string {
  return `\x1b[?997;${scheme === 'dark' ? 1 : 2}n`;
}

/** The size in pixels is that of the cells in which images are laid out, whatever fonts the windows have. */
export function sizeReport({ rows, cols }: Size): string {
  return `\x1b[48;${rows};${cols};${rows * CELL_PX.height};${cols * CELL_PX.width}t`;
}
