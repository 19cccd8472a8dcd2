/**
 * Protects the terminal from hostile programs. They must not make it loop (counts), use up memory (payloads of OSC and
 * DCS, combining marks on one character), do both (links), or throw.
 *
 * Two risks need no guard, because xterm does neither unless configured: reporting the title or the window (`CSI 21 t`;
 * all `windowOptions` are off) and reading the clipboard (OSC 52 has no handler).
 */
import { boundCells } from '../../protocol/terminal/cell-text.ts';
import { COUNT_BOUNDS, COUNT_BOUNDS_INTERMEDIATE } from '../../protocol/terminal/count-bounds.ts';
import { mendEraseAbove } from '../../protocol/terminal/erase-above.ts';
import { boundLinks } from '../../protocol/terminal/link-table.ts';
import { boundRepeats } from '../../protocol/terminal/repeat-bound.ts';
import { PAYLOAD_MAX_CHARS } from './limits.ts';
import type { XtermCore, XtermPayloadParser } from './xterm/xterm.ts';

export interface Guards {
  /** True while the parser is inside an OSC or DCS that was abandoned because of its length. */
  readonly overlong: boolean;
  /** Abandons the OSC or DCS that the parser is inside of, like one that is too long. */
  abandon(): void;
}

export function guard(core: XtermCore): Guards {
  boundCounts(core);
  boundRepeats(core);
  mendEraseAbove(core);
  boundLinks(core);
  boundCells(core);
  return boundPayloads(core);
}

function boundCounts(core: XtermCore): void {
  const bound = (id: { intermediates?: string; final: string }, of: (size: XtermCore) => number) =>
    core.registerCsiHandler(id, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, of(core));
      return false; // xterm's own handler runs next and reads the same array
    });
  for (const [final, of] of Object.entries(COUNT_BOUNDS)) bound({ final }, of);
  for (const [both, of] of Object.entries(COUNT_BOUNDS_INTERMEDIATE)) {
    bound({ intermediates: both.charAt(0), final: both.charAt(1) }, of);
  }
}

function boundPayloads(core: XtermCore): Guards {
  const { _oscParser: osc, _dcsParser: dcs } = core._inputHandler._parser;
  const state = { chars: 0, overlong: false };
  const restart = () => {
    state.chars = 0;
    state.overlong = false;
  };
  osc.start = before(osc.start.bind(osc), restart);
  dcs.hook = before(dcs.hook.bind(dcs), restart);
  for (const parser of [osc, dcs]) boundPayload(parser, state);
  return {
    get overlong() {
      return state.overlong;
    },
    abandon() {
      state.overlong = true;
      osc.reset();
      dcs.reset();
    },
  };
}

function boundPayload(parser: XtermPayloadParser, state: { chars: number; overlong: boolean }): void {
  const put = parser.put.bind(parser);
  parser.put = (data, start, end) => {
    if (state.overlong) return;
    state.chars += end - start;
    if (state.chars <= PAYLOAD_MAX_CHARS) return put(data, start, end);
    state.overlong = true;
    // Handlers are told that the sequence was aborted; the rest of it, including its end, is discarded.
    parser.reset();
  };
}

function before<A extends unknown[]>(then: (...args: A) => void, first: () => void): (...args: A) => void {
  return (...args) => {
    first();
    then(...args);
  };
}
