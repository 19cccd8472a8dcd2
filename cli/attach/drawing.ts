/**
 * Lets through to a person's own terminal what draws, and nothing else.
 *
 * The agent's screen answers what programs ask, so a query that reached this terminal would be answered a second time,
 * by typing. And a session's output is not this terminal's owner: it does not resize the window, write the clipboard,
 * print, lock the keyboard, or turn on reports that would be typed. What is not known to draw is dropped. [OU14]
 */
import type { Size } from '../../protocol/frame.ts';
import { COUNT_BOUNDS, COUNT_BOUNDS_INTERMEDIATE } from '../../protocol/sequence-limits.ts';
import { EscapeSequences, type Piece } from './escape-sequences.ts';

/** BEL, BS, HT, LF, VT, FF, CR, SO, SI. Not ENQ, which is answered. */
const CONTROLS = '\x07\b\t\n\v\f\r\x0e\x0f';

/** Save and restore, keypad, index, tab stop, reset, shifts between character sets. */
const ESCAPES = '78=>DEHMcNOno|}~';
/** Which character set, by `( ) * +`; and the alignment pattern. */
const DESIGNATIONS = '()*+';

/** Sequences without prefix or intermediates. */
const CSI_PLAIN = '@ABCDEFGHIJKLMPSTXZ`abdefgmrsu';
/** With them, as `prefix|intermediates|final`. */
const CSI_MARKED = ['?||J', '?||K', '| |q', '|!|p', '| |@', '| |A', "|'|}", "|'|~", '|"|q'];

/** Cursor keys, reverse video, origin, wrap, X10 mouse, blinking, cursor, reverse wrap, other screen, keypad, … */
const PRIVATE_MODES = [1, 5, 6, 7, 9, 12, 25, 45, 47, 66, 1047, 1048, 1049, 2004, 2026];
/** Mouse reports and their encodings: sent when a person moves it, and the program asked for them. */
const MOUSE_MODES = [1000, 1002, 1003, 1005, 1006, 1015, 1016];
/** Insert, and what a line feed does. Not the keyboard's lock, nor local echo. */
const ANSI_MODES = [4, 20];

/** Titles, links, prompts' marks; colours, unless they are asked for. */
const STRINGS = [0, 1, 2, 8, 133];
const COLOUR_STRINGS = [4, 10, 11, 12, 104, 110, 111, 112];

/** Pushes and pops the title: the only window operations that are no reports and move nothing. */
const TITLE_OPERATIONS = [22, 23];

const ALTERNATE_MODES = [47, 1047, 1049];

export class Drawing {
  readonly #sequences = new EscapeSequences();
  readonly #size: () => Size;
  /** By which mode the other screen was entered, if it is shown. */
  #alternate: number | null = null;

  /** `size`: of the terminal, which bounds how often a sequence may repeat something. */
  constructor(size: () => Size) {
    this.#size = size;
  }

  get alternate(): number | null {
    return this.#alternate;
  }

  take(bytes: Uint8Array): string {
    let out = '';
    for (const piece of this.#sequences.take(bytes)) out += this.#drawn(piece);
    return out;
  }

  /** Another stream begins, on a terminal that shows its main screen. */
  reset(): void {
    this.#sequences.reset();
    this.#alternate = null;
  }

  #drawn(piece: Piece): string {
    switch (piece.kind) {
      case 'text':
        return piece.text;
      case 'control':
        return CONTROLS.includes(piece.char) ? piece.char : '';
      case 'escape':
        return drawnEscape(piece);
      case 'string':
        return drawnString(piece);
      case 'csi':
        return this.#drawnCsi(piece);
    }
  }

  #drawnCsi(csi: Extract<Piece, { kind: 'csi' }>): string {
    const { prefix, parameters, intermediates, final } = csi;
    if ((final === 'h' || final === 'l') && intermediates === '')
      return this.#modes(prefix, parameters, final);
    if (final === 't') return isTitleOperation(csi) ? written(csi) : '';
    const isPlain = prefix === '' && intermediates === '' && CSI_PLAIN.includes(final);
    if (!isPlain && !CSI_MARKED.includes(`${prefix}|${intermediates}|${final}`)) return '';
    const bound =
      intermediates === '' ? COUNT_BOUNDS[final] : COUNT_BOUNDS_INTERMEDIATE[intermediates + final];
    if (prefix !== '' || bound === undefined) return written(csi);
    const count = Math.min(Number.parseInt(parameters, 10) || 1, bound(this.#size()));
    return written({ ...csi, parameters: String(count) });
  }

  #modes(prefix: string, parameters: string, final: 'h' | 'l'): string {
    const known = prefix === '?' ? [...PRIVATE_MODES, ...MOUSE_MODES] : prefix === '' ? ANSI_MODES : [];
    const modes = parameters.split(';').filter((mode) => known.includes(Number(mode)));
    if (modes.length === 0) return '';
    if (prefix === '?') {
      for (const mode of modes.map(Number)) {
        if (ALTERNATE_MODES.includes(mode)) this.#alternate = final === 'h' ? mode : null;
      }
    }
    return `\x1b[${prefix}${modes.join(';')}${final}`;
  }
}

function drawnEscape({ intermediates, final }: Extract<Piece, { kind: 'escape' }>): string {
  const isKnown =
    (intermediates === '' && ESCAPES.includes(final)) ||
    (intermediates.length === 1 && DESIGNATIONS.includes(intermediates)) ||
    (intermediates === '#' && final === '8');
  return isKnown ? `\x1b${intermediates}${final}` : '';
}

function drawnString({ introducer, data }: Extract<Piece, { kind: 'string' }>): string {
  const [, code] = /^(\d{1,4})(?:;|$)/.exec(data) ?? [];
  if (introducer !== ']' || code === undefined) return '';
  const isColour = COLOUR_STRINGS.includes(Number(code)) && !data.split(';').includes('?');
  return isColour || STRINGS.includes(Number(code)) ? `\x1b]${data}\x1b\\` : '';
}

function isTitleOperation({ prefix, parameters, intermediates }: Extract<Piece, { kind: 'csi' }>): boolean {
  return prefix === '' && intermediates === '' && TITLE_OPERATIONS.includes(Number.parseInt(parameters, 10));
}

function written({ prefix, parameters, intermediates, final }: Extract<Piece, { kind: 'csi' }>): string {
  return `\x1b[${prefix}${parameters}${intermediates}${final}`;
}
