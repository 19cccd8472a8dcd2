/** Writes everything about a terminal except its cells, as sequences for a fresh terminal. */
import { BG, FG } from '../xterm/cells.ts';
import { charsetFlag } from '../xterm/charsets.ts';
import type { XtermBuffer, XtermState } from '../xterm/xterm.ts';
import { SGR_RESET, sgrOf } from './sgr.ts';

const DESIGNATE = ['(', ')', '*', '+'] as const;
/** SI, SO, LS2, LS3: select which of G0 to G3 is used. */
const INVOKE = ['\x0f', '\x0e', '\x1bn', '\x1bo'] as const;

export function moveTo(x: number, y: number): string {
  return `\x1b[${y + 1};${x + 1}H`;
}

export function tabStops(core: XtermState, buffer: XtermBuffer): string {
  const stops: number[] = [];
  let isDefault = true;
  for (let col = 0; col < core.cols; col++) {
    const isStop = buffer.tabs[col] === true;
    if (isStop) stops.push(col);
    if (isStop !== (col % 8 === 0)) isDefault = false;
  }
  if (isDefault) return '';
  return `\x1b[3g${stops.map((col) => `\x1b[${col + 1}G\x1bH`).join('')}`;
}

/** If there is a region, this leaves the cursor in the top left corner. */
export function scrollRegion(core: XtermState, { scrollTop, scrollBottom }: XtermBuffer): string {
  if (scrollTop === 0 && scrollBottom === core.rows - 1) return '';
  return `\x1b[${scrollTop + 1};${scrollBottom + 1}r`;
}

/** What `ESC 8` will restore, if the saved row is on the screen. Leaves the pen plain and the charsets default. */
export function savedCursor(core: XtermState, buffer: XtermBuffer): string {
  const y = Math.min(Math.max(buffer.savedY - buffer.ybase, 0), core.rows - 1);
  return isSavedInitial(buffer) ? '' : `\x1b[${y + 1}H${saveInRow(core, buffer)}`;
}

/** Whether nothing was saved in this buffer, or only the initial state. */
export function isSavedInitial({ savedX, savedY, savedCurAttrData, savedCharset }: XtermBuffer): boolean {
  const { fg, bg } = savedCurAttrData;
  return savedX === 0 && savedY === 0 && fg === 0 && bg === 0 && savedCharset === undefined;
}

/** The same, while the cursor is in the saved row. May overwrite that row's last cell. */
export function saveInRow(core: XtermState, buffer: XtermBuffer): string {
  const { fg, bg } = buffer.savedCurAttrData;
  // The flag "has extended attributes" is saved without them; a link sets it if no underline does.
  const linked = (bg & BG.extended) !== 0 && (fg & FG.underline) === 0;
  const flag = charsetFlag(buffer.savedCharset);
  return [
    // A cursor pending after the last column has just printed there.
    buffer.savedX < core.cols ? `\x1b[${buffer.savedX + 1}G` : `\x1b[${core.cols}G `,
    sgrOf(fg, bg, 0),
    linked ? '\x1b]8;;about:blank\x1b\\' : '',
    flag === 'B' ? '' : `\x1b(${flag}`,
    '\x1b7',
    flag === 'B' ? '' : '\x1b(B',
    linked ? '\x1b]8;;\x1b\\' : '',
    SGR_RESET,
  ].join('');
}

export function charsets(core: XtermState): string {
  const { glevel, _charsets } = core._charsetService;
  const designations = DESIGNATE.map((letter, level) => {
    const flag = charsetFlag(_charsets[level]);
    return flag === 'B' ? '' : `\x1b${letter}${flag}`;
  });
  return designations.join('') + (glevel === 0 ? '' : (INVOKE[glevel] ?? ''));
}

/** After `ESC 8` the charset in use may be none of G0 to G3. */
export function usesOtherCharset(core: XtermState): boolean {
  const { charset, glevel, _charsets } = core._charsetService;
  return charsetFlag(charset) !== charsetFlag(_charsets[glevel]);
}

const MOUSE_PROTOCOL: Readonly<Record<string, string>> = {
  X10: '\x1b[?9h',
  VT200: '\x1b[?1000h',
  DRAG: '\x1b[?1002h',
  ANY: '\x1b[?1003h',
};
const MOUSE_ENCODING: Readonly<Record<string, string>> = { SGR: '\x1b[?1006h', SGR_PIXELS: '\x1b[?1016h' };

/** All modes but origin, insert and wrap-around, which change how the rest is painted. */
export function quietModes(core: XtermState): string {
  const { coreService, coreMouseService, options } = core;
  const dec = coreService.decPrivateModes;
  return [
    dec.applicationCursorKeys ? '\x1b[?1h' : '',
    dec.applicationKeypad ? '\x1b=' : '',
    dec.bracketedPasteMode ? '\x1b[?2004h' : '',
    dec.reverseWraparound ? '\x1b[?45h' : '',
    dec.sendFocus ? '\x1b[?1004h' : '',
    MOUSE_PROTOCOL[coreMouseService.activeProtocol] ?? '',
    MOUSE_ENCODING[coreMouseService.activeEncoding] ?? '',
    coreService.isCursorHidden ? '\x1b[?25l' : '',
    cursorStyle(core),
    // A reset does not reset these two, so they are always written.
    options.convertEol ? '\x1b[20h' : '\x1b[20l',
    options.cursorBlink ? '\x1b[?12h' : '\x1b[?12l',
    dec.synchronizedOutput ? '\x1b[?2026h' : '',
  ].join('');
}

const STYLES = { block: 1, underline: 3, bar: 5 } as const;

/** Numbers above 6 set the blinking and keep the shape. */
function cursorStyle(core: XtermState): string {
  const { cursorStyle: style, cursorBlink } = core.coreService.decPrivateModes;
  if (style === undefined && cursorBlink === undefined) return '';
  const base = style === undefined ? 7 : STYLES[style];
  return `\x1b[${base + (cursorBlink === true ? 0 : 1)} q`;
}

export function titles(core: XtermState): string {
  const { _windowTitle: title, _iconName: icon } = core._inputHandler;
  return (icon === '' ? '' : `\x1b]1;${icon}\x1b\\`) + (title === '' ? '' : `\x1b]2;${title}\x1b\\`);
}
