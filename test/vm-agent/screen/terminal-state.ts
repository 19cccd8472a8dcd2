/** The complete observable state of a terminal, in a form that can be compared. */

import { expect } from 'vitest';
import type { Size } from '../../../protocol/frame.ts';
import type { TerminalImage } from '../../../protocol/terminal/images/image.ts';
import { tileAt } from '../../../protocol/terminal/images/tile.ts';
import { Emulator, encodeText } from '../../../vm-agent/screen/emulator.ts';
import { SCROLLBACK_LINES } from '../../../vm-agent/screen/limits.ts';
import { concat } from '../../../vm-agent/screen/pending.ts';
import {
  BG,
  bgOf,
  COLOR,
  charsOf,
  extendedOf,
  FG,
  fgOf,
  hasContent,
  shownUnderline,
  underlineStyle,
  widthOf,
} from '../../../vm-agent/screen/xterm/cells.ts';
import { charsetFlag } from '../../../vm-agent/screen/xterm/charsets.ts';
import type {
  XtermAttributes,
  XtermBuffer,
  XtermCore,
  XtermLine,
} from '../../../vm-agent/screen/xterm/xterm.ts';

const SILENT = { answer() {}, report() {}, title() {}, progress() {}, cwd() {}, bell() {} };

/** The nonce of the terminals here. */
export const NONCE = 'bm9uY2Utb2YtdGhlLXRlc3Q';

export function terminal(size: Size, scrollbackLines = SCROLLBACK_LINES): Emulator {
  return new Emulator({ size, scrollbackLines, marksNonce: NONCE, events: SILENT });
}

export function ansi(emulator: Emulator, scope: 'screen' | 'all' = 'all'): Uint8Array {
  return concat(encodeText([...emulator.text.pieces('ansi', scope)]), emulator.pendingBytes);
}

/** A fresh terminal that was given a snapshot, and the half character that is not part of one. */
export function restored(from: Emulator, held: Uint8Array, scrollbackLines = SCROLLBACK_LINES): Emulator {
  const copy = terminal(from.size, scrollbackLines);
  copy.restore(ansi(from));
  copy.write(held);
  return copy;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Serialising a state and comparing it deeply is slow, and only needed to show what differs. */
export function expectSame(actual: Emulator, expected: Emulator, when?: string): void {
  if (!isSame(actual, expected)) expect(stateOf(actual), when).toEqual(stateOf(expected));
}

/** The same result as comparing `stateOf` of both. */
function isSame(one: Emulator, other: Emulator): boolean {
  if (JSON.stringify(stateOf(one, noRows)) !== JSON.stringify(stateOf(other, noRows))) return false;
  const [a, b] = [one.xterm.core, other.xterm.core];
  if (!hasSameRows(a, a.buffers.normal, b, b.buffers.normal)) return false;
  return a.buffers.active !== a.buffers.alt || hasSameRows(a, a.buffers.alt, b, b.buffers.alt);
}

function hasSameRows(a: XtermCore, one: XtermBuffer, b: XtermCore, other: XtermBuffer): boolean {
  if (one.lines.length !== other.lines.length) return false;
  for (let row = 0; row < one.lines.length; row++) {
    const [x, y] = [one.lines.get(row), other.lines.get(row)];
    if (!hasSameCells(x, y, a.cols) && rowState(a, x) !== rowState(b, y)) return false;
  }
  return true;
}

const WORDS_PER_CELL = 3;
/** In the first word of a cell whose characters are kept elsewhere. */
const COMBINED = 0x200000;

/**
 * Whether rows are equal because their words are equal, which covers everything; other rows must be serialised to be
 * compared.
 */
function hasSameCells(one: XtermLine | undefined, other: XtermLine | undefined, cols: number): boolean {
  if (one === undefined || other === undefined || one.isWrapped !== other.isWrapped) return false;
  const [a, b] = [one._data, other._data];
  const words = cols * WORDS_PER_CELL;
  if (a.length < words || b.length < words) return false;
  for (let at = 0; at < words; at += WORDS_PER_CELL) {
    if (a[at] !== b[at] || a[at + 1] !== b[at + 1] || a[at + 2] !== b[at + 2]) return false;
    if (((a[at] ?? 0) & COMBINED) !== 0 || ((a[at + 2] ?? 0) & BG.extended) !== 0) return false;
  }
  return true;
}

type RowsOf = (core: XtermCore, buffer: XtermBuffer) => string[];

const noRows: RowsOf = () => [];

const allRows: RowsOf = (core, { lines }) =>
  Array.from({ length: lines.length }, (_, row) => rowState(core, lines.get(row)));

/** One string per row and one per property: a failed comparison then shows the row that differs. */
export function stateOf(emulator: Emulator, rowsOf: RowsOf = allRows): Record<string, unknown> {
  const { core } = emulator.xterm;
  imagesOf.set(core, emulator.images.images);
  const { normal, alt, active } = core.buffers;
  const { coreService, coreMouseService, options, _charsetService, _inputHandler } = core;
  return {
    size: `${core.cols}x${core.rows}`,
    active: active === alt ? 'alternate' : 'normal',
    normal: bufferState(core, normal, active === normal, rowsOf),
    alternate: active === alt ? bufferState(core, alt, true, rowsOf) : savedState(core, alt),
    dec: { ...coreService.decPrivateModes },
    insert: coreService.modes.insertMode,
    cursorHidden: coreService.isCursorHidden,
    mouse: `${coreMouseService.activeProtocol} ${coreMouseService.activeEncoding}`,
    options: `${options.convertEol} ${options.cursorBlink}`,
    charset: `${charsetFlag(_charsetService.charset)} G${_charsetService.glevel}`,
    charsets: [0, 1, 2, 3].map((level) => charsetFlag(_charsetService._charsets[level])).join(''),
    pen: penState(core, _inputHandler._curAttrData),
    title: _inputHandler._windowTitle,
    icon: _inputHandler._iconName,
    widths: emulator.xterm.terminal.unicode.activeVersion,
    keys: JSON.stringify(emulator.keys?.state),
    modes: emulator.modes?.written,
    marks: marksState(emulator),
    parser: _inputHandler._parser.currentState,
    joins: _inputHandler._parser.precedingJoinState,
  };
}

/** The images of terminals whose state was asked for. Their numbers differ after some were overwritten. */
const imagesOf = new WeakMap<XtermCore, ReadonlyMap<number, TerminalImage>>();

function imageState(core: XtermCore, number: number): string {
  const image = imagesOf.get(core)?.get(number);
  if (image === undefined) return 'a forgotten image';
  const { data, ...rest } = image;
  return `${JSON.stringify(rest)} ${Buffer.from(data).toString('latin1')}`;
}

function marksState({ marks }: Emulator): readonly string[] {
  const { commands, ...rest } = marks.state;
  return [JSON.stringify(rest), ...commands.map(({ key: _, ...command }) => JSON.stringify(command))];
}

function bufferState(core: XtermCore, buffer: XtermBuffer, isActive: boolean, rowsOf: RowsOf): unknown {
  const stops = [];
  for (let col = 0; col < core.cols; col++) if (buffer.tabs[col] === true) stops.push(col);
  return {
    rows: rowsOf(core, buffer),
    base: buffer.ybase,
    // The row of a hidden buffer's cursor determines what a resize keeps of it; its column is never read again.
    cursor: isActive ? `${buffer.x},${buffer.y}` : `row ${buffer.y}`,
    region: `${buffer.scrollTop}-${buffer.scrollBottom}`,
    stops: stops.join(' '),
    saved: savedState(core, buffer),
  };
}

function savedState(core: XtermCore, buffer: XtermBuffer): string {
  const x = Math.min(buffer.savedX, core.cols - 1);
  const y = Math.min(Math.max(buffer.savedY - buffer.ybase, 0), core.rows - 1);
  const { fg, bg } = buffer.savedCurAttrData;
  return `${x},${y} ${attributes(fg, bg, 0)} ${(bg & BG.extended) !== 0} ${charsetFlag(buffer.savedCharset)}`;
}

function rowState(core: XtermCore, line: XtermLine | undefined): string {
  if (line === undefined) return 'missing';
  let text = line.isWrapped ? '↪' : ' ';
  let before = '';
  for (let col = 0; col < core.cols; col++) {
    const style = col > 0 && isAlike(line, col) ? before : styleOf(core, line, col);
    if (style !== before) text += `{${style}}`;
    before = style;
    text += hasContent(line, col)
      ? charsOf(line, col) + '·'.repeat(Math.abs(widthOf(line, col) - 1))
      : emptyMark(line, col);
  }
  return text;
}

function isAlike(line: XtermLine, col: number): boolean {
  if (fgOf(line, col) !== fgOf(line, col - 1) || bgOf(line, col) !== bgOf(line, col - 1)) return false;
  return extendedOf(line, col) === extendedOf(line, col - 1);
}

function styleOf(core: XtermCore, line: XtermLine, col: number): string {
  const tile = tileAt(line, col);
  if (tile !== undefined) return `${tile.row},${tile.col} of ${imageState(core, tile.image)}`;
  const extended = extendedOf(line, col);
  const link = core._oscLinkService.getLinkData(extended?.urlId ?? 0)?.uri ?? '';
  return attributes(fgOf(line, col), bgOf(line, col), extended?._ext ?? 0) + link;
}

/** The second half of a wide character shows nothing; one whose first half is gone shows as an empty cell. */
function emptyMark(line: XtermLine, col: number): string {
  return widthOf(line, col) === 0 && widthOf(line, col - 1) === 2 ? '' : '░';
}

function penState(core: XtermCore, pen: XtermAttributes): string {
  const link = core._oscLinkService.getLinkData(pen.extended.urlId)?.uri ?? '';
  const isUnderlined = (pen.fg & FG.underline) !== 0;
  const style = underlineStyle(pen.extended._ext);
  return `${attributes(pen.fg, pen.bg, pen.extended._ext)} ${link} ${(pen.bg & BG.extended) !== 0} ${isUnderlined} ${style}`;
}

/** A few hundred different values are requested millions of times. */
const toldAttributes = new Map<string, string>();

function attributes(fg: number, bg: number, extended: number): string {
  const key = `${fg} ${bg} ${extended}`;
  const told = toldAttributes.get(key) ?? tellAttributes(fg, bg, extended);
  toldAttributes.set(key, told);
  return told;
}

function tellAttributes(fg: number, bg: number, extended: number): string {
  const flags = Object.entries(FG).filter(([name, bit]) => name !== 'underline' && (fg & bit) !== 0);
  const more = Object.entries(BG).filter(([name, bit]) => name !== 'extended' && (bg & bit) !== 0);
  const style = shownUnderline(fg, bg, extended);
  return [...flags, ...more]
    .map(([name]) => name)
    .concat([color(fg), color(bg), `${style}${color(extended)}`])
    .join(',');
}

function color(word: number): string {
  const mode = word & COLOR.mode;
  if (mode === 0) return '';
  return mode === COLOR.rgb
    ? `#${(word & 0xffffff).toString(16)}`
    : `${mode === COLOR.ansi ? 'a' : 'p'}${word & 0xff}`;
}
