/** Reads xterm's packed cells. The layout is xterm's (BufferLine.ts, Constants.ts). */
import { isPlain } from '../../../protocol/terminal/width/width-model.ts';
import type { XtermExtended, XtermLine } from './xterm.ts';

const WORDS_PER_CELL = 3;

const CODE_POINT = 0x1fffff;
const COMBINED = 0x200000;
const HAS_CONTENT = 0x3fffff;
const WIDTH_SHIFT = 22;
/** The content word of an empty cell: no character, one column. */
const EMPTY = 1 << WIDTH_SHIFT;

/** Colour mode of a colour word: default, one of 16, one of 256, or RGB. */
export const COLOR = { mode: 0x3000000, ansi: 0x1000000, palette: 0x2000000, rgb: 0x3000000 } as const;
const COLOR_MASK = 0x3ffffff;

export const FG = {
  inverse: 0x4000000,
  bold: 0x8000000,
  underline: 0x10000000,
  blink: 0x20000000,
  invisible: 0x40000000,
  strikethrough: 0x80000000,
} as const;

export const BG = {
  italic: 0x4000000,
  dim: 0x8000000,
  extended: 0x10000000,
  protected: 0x20000000,
  overline: 0x40000000,
} as const;

/** Extended word: underline style in bits 26 to 28, underline colour below. */
export function underlineStyle(extended: number): number {
  return (extended >>> 26) & 7;
}

/**
 * The underline style that is shown; 0: none. After `ESC 8` the underline flag may be cleared while the style applies,
 * because another extended attribute is set; xterm then shows it.
 */
export function shownUnderline(fg: number, bg: number, extended: number): number {
  const style = underlineStyle(extended);
  if ((fg & FG.underline) !== 0) return style || 1;
  return (bg & BG.extended) === 0 ? 0 : style;
}

export function hasContent(line: XtermLine, col: number): boolean {
  return ((line._data[col * WORDS_PER_CELL] ?? 0) & HAS_CONTENT) !== 0;
}

export function widthOf(line: XtermLine, col: number): number {
  return (line._data[col * WORDS_PER_CELL] ?? 0) >>> WIDTH_SHIFT;
}

/** The characters of a cell; empty if it was never written, was erased, or is the second half of a wide character. */
export function charsOf(line: XtermLine, col: number): string {
  const content = line._data[col * WORDS_PER_CELL] ?? 0;
  if ((content & COMBINED) !== 0) return line._combined[col] ?? '';
  const codePoint = content & CODE_POINT;
  return codePoint === 0 ? '' : String.fromCodePoint(codePoint);
}

/** Below this, every character that can be in a cell joins nothing but what begins with certain characters. */
const FIRST_JOINING = 0xa9;

/** An ordinary character: one column, one code unit, joins nothing, no extended attributes. */
function isOrdinary(data: Uint32Array, at: number): boolean {
  const content = data[at] ?? 0;
  const code = content & HAS_CONTENT;
  return (
    content >>> WIDTH_SHIFT === 1 &&
    code !== 0 &&
    code < 0xd800 &&
    (code < FIRST_JOINING || isPlain(code)) &&
    ((data[at + 2] ?? 0) & BG.extended) === 0
  );
}

/** Where the run of ordinary characters with this cell's attributes ends; `col` if there is none. */
export function endOfRun({ _data: data }: XtermLine, col: number, cols: number): number {
  const first = col * WORDS_PER_CELL;
  const end = cols * WORDS_PER_CELL;
  let at = first;
  while (
    at < end &&
    isOrdinary(data, at) &&
    data[at + 1] === data[first + 1] &&
    data[at + 2] === data[first + 2]
  ) {
    at += WORDS_PER_CELL;
  }
  return at / WORDS_PER_CELL;
}

/** The text of such a run. */
export function textOfRun({ _data: data }: XtermLine, from: number, to: number): string {
  let text = '';
  for (let at = from * WORDS_PER_CELL; at < to * WORDS_PER_CELL; at += WORDS_PER_CELL) {
    text += String.fromCharCode((data[at] ?? 0) & CODE_POINT);
  }
  return text;
}

/** Whether some empty cell has more than a background; see `isErased`. */
export function hasOddCell({ _data: data }: XtermLine, cols: number): boolean {
  for (let at = 0; at < cols * WORDS_PER_CELL; at += WORDS_PER_CELL) {
    if (data[at] !== EMPTY) continue;
    const fg = data[at + 1] ?? 0;
    if (fg > COLOR_MASK || (fg & COLOR.mode) !== 0 || (data[at + 2] ?? 0) > COLOR_MASK) return true;
  }
  return false;
}

export function fgOf(line: XtermLine, col: number): number {
  return line._data[col * WORDS_PER_CELL + 1] ?? 0;
}

export function bgOf(line: XtermLine, col: number): number {
  return line._data[col * WORDS_PER_CELL + 2] ?? 0;
}

export function extendedOf(line: XtermLine, col: number): XtermExtended | undefined {
  return (bgOf(line, col) & BG.extended) === 0 ? undefined : line._extendedAttrs[col];
}

export function hasDefaultBackground(line: XtermLine, col: number): boolean {
  return (bgOf(line, col) & COLOR.mode) === 0;
}

/**
 * An empty cell as erasing leaves it: only a background. Other empty cells come from wide characters that were half
 * overwritten or did not fit, and keep all attributes of the pen.
 */
export function isErased(line: XtermLine, col: number): boolean {
  const fg = fgOf(line, col);
  const plain = (fg & ~COLOR_MASK) === 0 && (fg & COLOR.mode) === 0 && (bgOf(line, col) & ~COLOR_MASK) === 0;
  return plain && !hasContent(line, col);
}
