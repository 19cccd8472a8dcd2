/** Writes a cell's attributes as the SGR sequence that sets exactly these, whatever was set before. */
import { BG, COLOR, FG, shownUnderline } from '../xterm/cells.ts';

export const SGR_RESET = '\x1b[0m';

/** Screens use few combinations; a hostile one that uses all of them must not fill the memory. */
const CACHE_MAX_ENTRIES = 4096;
const cache = new Map<string, string>();

/** `extended` is the extended word, zero if the cell has none. */
export function sgrOf(fg: number, bg: number, extended: number): string {
  const key = `${fg},${bg},${extended}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const sgr = compose(fg, bg, extended);
  if (cache.size >= CACHE_MAX_ENTRIES) cache.clear();
  cache.set(key, sgr);
  return sgr;
}

const FG_FLAGS: readonly [number, number][] = [
  [FG.bold, 1],
  [FG.blink, 5],
  [FG.inverse, 7],
  [FG.invisible, 8],
  [FG.strikethrough, 9],
];
const BG_FLAGS: readonly [number, number][] = [
  [BG.dim, 2],
  [BG.italic, 3],
  [BG.overline, 53],
];

/** Sets everything but underline, link and protection, and does not change those. */
export function sgrBeside(fg: number, bg: number): string {
  return `\x1b[22;23;25;27;28;29;55;39;49${[...flagCodes(fg, bg), ...colorsOf(fg, bg)].map((code) => `;${code}`).join('')}m`;
}

function compose(fg: number, bg: number, extended: number): string {
  const codes: (number | string)[] = [0, ...flagCodes(fg, bg)];
  const underline = shownUnderline(fg, bg, extended);
  if (underline !== 0) codes.push(`4:${underline}`);
  codes.push(...colorsOf(fg, bg), ...colorCodes(extended, 0, 0, 58));
  const sgr = `\x1b[${codes.join(';')}m`;
  // DECSCA is not SGR, but SGR 0 clears it in xterm, so it must come after.
  return (bg & BG.protected) === 0 ? sgr : `${sgr}\x1b[1"q`;
}

function flagCodes(fg: number, bg: number): number[] {
  const set = [
    ...FG_FLAGS.filter(([flag]) => (fg & flag) !== 0),
    ...BG_FLAGS.filter(([flag]) => (bg & flag) !== 0),
  ];
  return set.map(([, code]) => code);
}

function colorsOf(fg: number, bg: number): number[] {
  return [...colorCodes(fg, 30, 90, 38), ...colorCodes(bg, 40, 100, 48)];
}

function colorCodes(word: number, dark: number, bright: number, extended: number): number[] {
  const index = word & 0xff;
  switch (word & COLOR.mode) {
    case COLOR.ansi:
      return [index < 8 ? dark + index : bright + index - 8];
    case COLOR.palette:
      return [extended, 5, index];
    case COLOR.rgb:
      return [extended, 2, (word >>> 16) & 0xff, (word >>> 8) & 0xff, index];
    default:
      return [];
  }
}
