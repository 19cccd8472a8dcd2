/**
 * Protects the terminal from hostile programs. They must not make it loop (counts), use up memory (payloads of OSC and
 * DCS, combining marks on one character), do both (links), or throw.
 *
 * Two risks need no guard, because xterm does neither unless configured: reporting the title or the window (`CSI 21 t`;
 * `windowOptions` allow only sizes in pixels, which we answer) and reading the clipboard (OSC 52 has no handler).
 */
import { boundCells } from '../../protocol/terminal/cell-text.ts';
import { COUNT_BOUNDS, COUNT_BOUNDS_INTERMEDIATE } from '../../protocol/terminal/count-bounds.ts';
import { mendEraseAbove } from '../../protocol/terminal/erase-above.ts';
import { IMAGE_OSC } from '../../protocol/terminal/images/image-reader.ts';
import { boundLinks } from '../../protocol/terminal/link-table.ts';
import { boundRepeats } from '../../protocol/terminal/repeat-bound.ts';
import { IMAGE_PENDING_MAX_BYTES, PAYLOAD_MAX_CHARS, PENDING_MAX_BYTES } from './limits.ts';
import type { XtermCore, XtermPayloadParser } from './xterm/xterm.ts';

export interface Guards {
  /** True while the parser is inside an OSC or DCS that was abandoned because of its length. */
  readonly overlong: boolean;
  /** Abandons the OSC or DCS that the parser is inside of, like one that is too long. */
  abandon(): void;
  /** How much of an unfinished sequence is kept: more if it may be an image. */
  readonly pendingMaxBytes: number;
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

/** How xterm's parser identifies `DCS q` without intermediates: by its final byte. */
const SIXEL_IDENT = 'q'.charCodeAt(0);

interface PayloadState {
  chars: number;
  overlong: boolean;
  mayBeImage: boolean;
}

function boundPayloads(core: XtermCore): Guards {
  const { _oscParser: osc, _dcsParser: dcs } = core._inputHandler._parser;
  const state = { chars: 0, overlong: false, mayBeImage: false };
  const restart = (mayBeImage: boolean) => {
    state.chars = 0;
    state.overlong = false;
    state.mayBeImage = mayBeImage;
  };
  osc.start = before(osc.start.bind(osc), () => restart(false));
  dcs.hook = before(dcs.hook.bind(dcs), (ident) => restart(ident === SIXEL_IDENT));
  boundPayload(osc, state, () => osc._id === IMAGE_OSC);
  boundPayload(dcs, state, () => state.mayBeImage);
  return {
    get pendingMaxBytes() {
      return state.mayBeImage ? IMAGE_PENDING_MAX_BYTES : PENDING_MAX_BYTES;
    },
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

function boundPayload(parser: XtermPayloadParser, state: PayloadState, mayBeImage: () => boolean): void {
  const put = parser.put.bind(parser);
  parser.put = (data, start, end) => {
    if (state.overlong) return;
    state.chars += end - start;
    if (state.chars <= PAYLOAD_MAX_CHARS) return put(data, start, end);
    state.mayBeImage = mayBeImage();
    // The reader of images keeps no more than it may, and what is pending has its own limit.
    if (state.mayBeImage) return put(data, start, end);
    state.overlong = true;
    // Handlers are told that the sequence was aborted; the rest of it, including its end, is discarded.
    parser.reset();
  };
}

function before<A extends unknown[]>(
  then: (...args: A) => void,
  first: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    first(...args);
    then(...args);
  };
}
