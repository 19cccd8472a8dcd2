/** Draws a link as a QR code: as dark and light modules for the page, and as lines of text for a terminal. */
import { correction, generate } from 'lean-qr';

/** Twice as long as any link of ours. A longer text makes modules so small that a phone cannot read them. */
export const QR_TEXT_MAX_CHARS = 512;

/** Rows from the top, each from the left; true is dark. The quiet zone around the code is not included. */
export type QrModules = readonly (readonly boolean[])[];

/** `text`: printable ASCII, as every address is. Readers do not agree on other characters. */
export function qrModules(text: string): QrModules {
  if (!/^[ -~]+$/.test(text)) throw new Error('A QR code needs text of printable ASCII characters.');
  if (text.length > QR_TEXT_MAX_CHARS) {
    throw new Error(
      `This text is too long for a QR code: it has ${text.length} characters, ${QR_TEXT_MAX_CHARS} are allowed.`,
    );
  }
  // The lowest level makes the fewest modules. Whatever room is left in them is used for more correction.
  const code = generate(text, { minCorrectionLevel: correction.L });
  const indices = Array.from({ length: code.size }, (_, index) => index);
  return indices.map((y) => indices.map((x) => code.get(x, y)));
}

/** Phones read a code with half of the quiet zone that the standard asks for, and windows of terminals are small. */
const TERMINAL_QUIET_MODULES = 2;

/**
 * Black on white in colours that no theme changes, because most readers find no light code on a dark ground: 16 and 231
 * of the 256 colours.
 */
const DARK_ON_LIGHT = '\x1b[38;5;16;48;5;231m';
const RESET = '\x1b[0m';

/** For a terminal: each character shows two modules, one above the other. */
export function qrLines(text: string): string[] {
  const modules = qrModules(text);
  const side = modules.length + 2 * TERMINAL_QUIET_MODULES;
  const isDark = (row: number, column: number) =>
    modules[row - TERMINAL_QUIET_MODULES]?.[column - TERMINAL_QUIET_MODULES] ?? false;
  const columns = Array.from({ length: side }, (_, column) => column);
  return Array.from({ length: Math.ceil(side / 2) }, (_, line) => {
    const halves = columns.map((column) => half(isDark(2 * line, column), isDark(2 * line + 1, column)));
    return DARK_ON_LIGHT + halves.join('') + RESET;
  });
}

function half(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀';
  return lower ? '▄' : ' ';
}
