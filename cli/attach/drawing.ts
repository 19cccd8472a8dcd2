/**
 * Filters a session's output so that only drawing reaches the user's own terminal.
 *
 * The agent's screen answers what programs ask, so a query that reached this terminal would be answered a second time,
 * as typed input. And a session's output must not control this terminal: it does not resize the window, write the
 * clipboard, print, lock the keyboard, or turn on reports that would be typed. Anything not known to draw is dropped.
 * [OU14]
 */
import type { Size } from '../../protocol/frame.ts';
import { printable } from '../../protocol/printable.ts';
import { withBoundedCount } from '../../protocol/terminal/count-bounds.ts';
import { ImageFilter } from '../../protocol/terminal/images/image-filter.ts';
import { isDeviceQuery } from '../../protocol/terminal/is-device-query.ts';
import { LINK_SCHEMES } from '../../protocol/terminal/link-schemes.ts';
import { parseMark } from '../../protocol/terminal/marks/mark.ts';
import { plainMark } from '../../protocol/terminal/marks/write-marks.ts';
import {
  type CsiToken,
  type EscapeToken,
  type StringToken,
  type Token,
  written,
} from '../../protocol/terminal/token.ts';
import { Tokenizer } from '../../protocol/terminal/tokenizer.ts';
import { OwnKeyboard } from './own-keyboard.ts';

/** BEL, BS, HT, LF, VT, FF, CR, SO, SI. Not ENQ, because terminals answer it. */
const CONTROLS = '\x07\b\t\n\v\f\r\x0e\x0f';
/** All other controls, and C1. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what this is about
const NEEDS_FILTER = /[\x00-\x06\x10-\x1f\x7f-\x9f]/;

/** Save and restore cursor, keypad, index, tab stop, reset, character set shifts. */
const ESCAPES = '78=>DEHMcNOno|}~';
/** Select a character set with `( ) * +`; also the alignment pattern. */
const DESIGNATIONS = '()*+';

/** CSI sequences without prefix or intermediates. */
const CSI_PLAIN = '@ABCDEFGHIJKLMPSTXZ`abdefgmrsu';
/** CSI sequences with them, as `prefix|intermediates|final`. */
const CSI_MARKED = ['?||J', '?||K', '| |q', '|!|p', '| |@', '| |A', "|'|}", "|'|~", '|"|q'];

/** Cursor keys, reverse video, origin, wrap, X10 mouse, blinking, cursor, reverse wrap, alternate screen, keypad, … */
const PRIVATE_MODES = [1, 5, 6, 7, 9, 12, 25, 45, 47, 66, 1047, 1048, 1049, 2004, 2026];
/** Mouse reports and their encodings. They are sent when the user moves the mouse and the program asked for them. */
const MOUSE_MODES = [1000, 1002, 1003, 1005, 1006, 1015, 1016];
/** Insert mode and line feed mode. Not the keyboard lock or local echo. */
const ANSI_MODES = [4, 20];

/** Titles, links, marks of prompts and commands, and colours unless they are queried. */
const TITLE_STRINGS = [0, 1, 2];
const LINK_STRING = 8;
const MARK_STRING = 133;
const COLOUR_STRINGS = [4, 10, 11, 12, 104, 110, 111, 112];

/** Push and pop the title: the only window operations that neither report nor move anything. */
const TITLE_OPERATIONS = [22, 23];

const ALTERNATE_MODES = [47, 1047, 1049];

const SET_TAB_STOP = 'H';
const RESET = 'c';
const CLEAR_TAB_STOPS = 'g';

interface DrawingOptions {
  /** Whether output may switch to the alternate screen; without it, everything is drawn on the main screen. */
  readonly mayUseAlternate?: boolean;
  /** Whether the terminal's keyboard types into the session, so that its program may choose what keys send. */
  readonly hasKeyboard?: boolean;
}

export class Drawing {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #tokenizer = new Tokenizer();
  readonly #images = new ImageFilter();
  readonly #size: () => Size;
  readonly #mayUseAlternate: boolean;
  readonly #hasKeyboard: boolean;
  /** The mode that entered the alternate screen, while it is shown. */
  #alternate: number | null = null;
  #hasMovedTabs = false;
  #keyboard = new OwnKeyboard();

  /** `size`: of the terminal; it bounds how often a sequence may repeat something. */
  constructor(size: () => Size, { mayUseAlternate = true, hasKeyboard = false }: DrawingOptions = {}) {
    this.#size = size;
    this.#mayUseAlternate = mayUseAlternate;
    this.#hasKeyboard = hasKeyboard;
  }

  /** Restores the terminal's own keyboard. `leave` returns to the main screen. */
  plainKeyboard(leave: string): string {
    const { alternate, normal } = this.#keyboard.plain;
    return alternate + leave + normal;
  }

  get alternate(): number | null {
    return this.#alternate;
  }

  /** Whether the terminal's tab stops were changed. */
  get hasMovedTabs(): boolean {
    return this.#hasMovedTabs;
  }

  /** Returns the complete sequences and text that draw. Bytes that are not UTF-8 become U+FFFD. */
  take(bytes: Uint8Array): string {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#tokenizer.isGround && !NEEDS_FILTER.test(text)) {
      this.#images.passed(text);
      return text;
    }
    let out = '';
    for (const token of this.#tokenizer.take(text))
      out += this.#images.replaced(token, this.#size()) ?? this.#drawn(token);
    return out;
  }

  /** Another stream begins, on a terminal that shows its main screen and has its usual tab stops. */
  reset(): void {
    this.#decoder.decode(); // drops an incomplete character
    this.#tokenizer.reset();
    this.#images.reset();
    this.#alternate = null;
    this.#hasMovedTabs = false;
    this.#keyboard = new OwnKeyboard();
  }

  #drawn(token: Token): string {
    switch (token.kind) {
      case 'text':
        return token.text;
      case 'control':
        return CONTROLS.includes(token.char) ? token.char : '';
      case 'escape':
        this.#hasMovedTabs ||= token.intermediates === '' && token.final === SET_TAB_STOP;
        return this.#keyboardReset(token) + drawnEscape(token);
      case 'string':
        return drawnString(token);
      case 'csi':
        return this.#drawnCsi(token);
      default:
        return ''; // strings that are too long to be links
    }
  }

  #drawnCsi(csi: CsiToken): string {
    const { prefix, parameters, intermediates, final } = csi;
    if ((final === 'h' || final === 'l') && intermediates === '')
      return this.#modes(prefix, parameters, final);
    if (final === 't') return isTitleOperation(csi) ? written(csi) : '';
    const isPlain = prefix === '' && intermediates === '' && CSI_PLAIN.includes(final);
    this.#hasMovedTabs ||= isPlain && final === CLEAR_TAB_STOPS;
    if (!isPlain && !CSI_MARKED.includes(`${prefix}|${intermediates}|${final}`)) return this.#keys(csi);
    return (
      (intermediates === '!' ? this.#keyboard.reset() : '') + written(withBoundedCount(csi, this.#size()))
    );
  }

  #keys({ prefix, parameters, intermediates, final }: CsiToken): string {
    if (!this.#hasKeyboard || intermediates !== '') return '';
    const numbers = parameters.split(';').map((parameter) => Number.parseInt(parameter, 10) || 0);
    return this.#keyboard.take({ prefix, final, parameters: numbers }) ?? '';
  }

  /** A full reset returns to the main screen, and forgets everything that was asked of the keyboard. */
  #keyboardReset({ intermediates, final }: EscapeToken): string {
    if (intermediates !== '' || final !== RESET) return '';
    const before = this.#keyboard.reset();
    this.#keyboard = new OwnKeyboard();
    this.#alternate = null;
    return before;
  }

  #modes(prefix: string, parameters: string, final: 'h' | 'l'): string {
    const known = prefix === '?' ? [...PRIVATE_MODES, ...MOUSE_MODES] : prefix === '' ? ANSI_MODES : [];
    const isAlternate = (mode: number) => prefix === '?' && ALTERNATE_MODES.includes(mode);
    const modes = parameters
      .split(';')
      .map(Number)
      .filter((mode) => known.includes(mode) && (this.#mayUseAlternate || !isAlternate(mode)));
    if (modes.length === 0) return '';
    const sequence = `\x1b[${prefix}${modes.join(';')}${final}`;
    const switching = modes.filter(isAlternate);
    if (switching.length === 0) return sequence;
    for (const mode of switching) this.#alternate = final === 'h' ? mode : null;
    const before = final === 'l' ? this.#keyboard.leaving() : '';
    return before + sequence + this.#keyboard.switched(final === 'h');
  }
}

function drawnEscape({ intermediates, final }: EscapeToken): string {
  const isKnown =
    (intermediates === '' && ESCAPES.includes(final)) ||
    (intermediates.length === 1 && DESIGNATIONS.includes(intermediates)) ||
    (intermediates === '#' && final === '8');
  return isKnown ? `\x1b${intermediates}${final}` : '';
}

function drawnString(token: StringToken): string {
  const { introducer, data } = token;
  const [, digits] = /^(\d{1,4})(?:;|$)/.exec(data) ?? [];
  if (introducer !== ']' || digits === undefined) return '';
  const code = Number(digits);
  if (TITLE_STRINGS.includes(code)) return osc(`${code};${printable(data.slice(digits.length + 1))}`);
  if (code === LINK_STRING) return osc(isSafeLink(data) ? data : `${LINK_STRING};;`);
  if (code === MARK_STRING) return drawnMark(data.slice(digits.length + 1));
  return COLOUR_STRINGS.includes(code) && !isDeviceQuery(token) ? osc(data) : '';
}

/**
 * Only where a prompt, a command and its output begin and how it ended. Terminals give some parameters a meaning, such
 * as typing when the user clicks; and the session's nonce must not get into this terminal's history, from where another
 * program could print it.
 */
function drawnMark(data: string): string {
  const mark = parseMark(MARK_STRING, data);
  return mark === null ? '' : plainMark(mark);
}

/** The format is `8;parameters;address`; an empty address ends the previous link. */
function isSafeLink(data: string): boolean {
  const address = data.split(';').slice(2).join(';');
  return address === '' || LINK_SCHEMES.has(URL.canParse(address) ? new URL(address).protocol : '');
}

function osc(data: string): string {
  return `\x1b]${data}\x1b\\`;
}

function isTitleOperation({ prefix, parameters, intermediates }: CsiToken): boolean {
  return prefix === '' && intermediates === '' && TITLE_OPERATIONS.includes(Number.parseInt(parameters, 10));
}
