/**
 * Short outputs that once made a restored terminal differ, or that represent a kind of sequence that is hard to
 * restore. Each is cut at every byte.
 */
import type { Size } from '../../../protocol/frame.ts';

export interface Fact {
  readonly name: string;
  readonly output: string | Uint8Array;
  readonly size?: Size;
  readonly scrollbackLines?: number;
}

const ESC = '\x1b';
const CSI = `${ESC}[`;
const SMALL: Size = { cols: 2, rows: 2 };

export const FACTS: readonly Fact[] = [
  // Underlines that remain after `ESC 8`, which restores whether something is underlined but not how.
  {
    name: '[D8] an underline colour that is reset after ESC 8',
    output: `${ESC}7${CSI}4ma${ESC}8${ESC}7${CSI}59maa${ESC}8`,
    size: SMALL,
    scrollbackLines: 0,
  },
  {
    name: '[D8] an underline colour that is set after ESC 8',
    output: `${ESC}7${CSI}4:3ma${ESC}8${CSI}58;5;9mb${CSI}59mcd${CSI}24me`,
  },
  {
    name: '[D8] a curly underline after a cursor that was saved inside a link',
    output: `${ESC}]8;;http://a/${ESC}\\x${ESC}7${ESC}]8;;${ESC}\\${CSI}4:3my${ESC}8zz${ESC}]8;;${ESC}\\ww`,
  },

  // Controls inside the beginning of a sequence take effect at once, and only once.
  { name: '[D7] a tab between ESC and the bracket of a title', output: `a${ESC}\t]0;title\x07b` },
  { name: '[D7] a line feed between ESC and a device control string', output: `a${ESC}\nP$qm${ESC}\\b` },
  { name: '[D7] controls and DEL between ESC and an APC', output: `a${ESC}\t\x7f\n_x${ESC}\\b` },
  {
    name: '[D7] a broken character and a tab between ESC and a title',
    output: Uint8Array.from([0x61, 0x1b, 0xff, 0x09, 0x80, 0x0a, 0x5d, 0x30, 0x3b, 0x74, 0x07, 0x62]),
  },
  { name: '[D7] controls inside a CSI sequence', output: `a${CSI}\n3\t1\bmb` },
  { name: '[D7] controls inside an escape sequence with intermediates', output: `a${ESC}\t(\n0q${ESC}(B` },
  { name: '[D7] a tab inside a C1 CSI sequence', output: 'a\x9b3\t1mb' },
  { name: '[D7] a tab inside a title, which ignores it', output: `a${ESC}]0;t\ti\ntle\x07b` },

  // Cursors, of both buffers.
  {
    name: '[D1] a cursor below the first row behind the alternate screen',
    output: `9\n\n${CSI}?47h`,
    size: SMALL,
  },
  {
    name: '[D1] a cursor saved behind the last column, then the alternate screen',
    output: `aa${CSI}?1049h${CSI}Hb${CSI}?1049lc`,
    size: SMALL,
  },
  {
    name: '[D1] a cursor saved in a row that scrolled away',
    output: `a${ESC}7\r\nb\r\nc\r\nd\r\ne\r\nf${ESC}8x`,
  },
  {
    name: '[D1] a cursor saved in the top row below a history',
    output: `a\r\nb\r\nc\r\nd\r\ne\r\nf${CSI}H${ESC}7${CSI}5Bx`,
  },
  {
    name: '[R1] a cursor saved in each buffer',
    output: `ab${ESC}7${CSI}?47h${CSI}3;4H${ESC}7x${CSI}?47l${ESC}8y`,
  },
  {
    name: '[R1] a cursor with a pending wrap',
    output: `${'x'.repeat(20)}${CSI}31m${CSI}Ky\u0301`,
  },
  {
    name: '[R1] a cursor in a scroll region with origin mode',
    output: `${CSI}2;4r${CSI}?6h${CSI}3;1Ha\nb\nc${CSI}?6l${CSI}rd`,
  },

  // Characters that take no column, or two.
  {
    name: '[R1] a combining mark that joins a character printed before the cut',
    output: 'e\u0301a\u0308\u0323o',
  },
  { name: '[R1] a wide character that does not fit', output: `${'x'.repeat(19)}界y` },
  { name: '[R1] half of a wide character overwritten', output: `界界${CSI}3Dx${CSI}44m${CSI}2K界${CSI}Dz` },
  { name: '[R1] the last character repeated', output: `─${CSI}7b${CSI}1mx${CSI}3b` },

  // Attributes and related state.
  { name: '[R1] blanks with a background', output: `${CSI}44m${CSI}K a\r\n${CSI}2X${CSI}0m${CSI}1;31;7mb` },
  { name: '[R1] protected cells', output: `${CSI}1"qkept${CSI}0"qgone${CSI}?2J${CSI}1"q` },
  {
    name: '[R1] a link over two rows',
    output: `${ESC}]8;id=1;http://a/${ESC}\\${'linked '.repeat(4)}${ESC}]8;;${ESC}\\z`,
  },
  { name: '[R1] character sets', output: `${ESC}(0lqk${ESC})A\x0e#${ESC}7\x0f${ESC}(Bq${ESC}8q` },
  { name: '[R1] custom tab stops', output: `${CSI}3g${CSI}5G${ESC}H${CSI}12G${ESC}H\r\ta\tb` },
  {
    name: '[R1] modes and the shape of the cursor',
    output: `${CSI}?1;25;1002;1006;2004h${CSI}4h${CSI}5 qa${CSI}2Gb${CSI}!p`,
  },
  {
    name: '[R1] titles and colours',
    output: `${ESC}]0;one\x07${ESC}]4;1;#123456\x07${ESC}]11;#ffffff${ESC}\\a${ESC}]104\x07`,
  },
  { name: '[R1] a reset in the middle', output: `${CSI}1;31mred${CSI}?1049hx${ESC}cplain` },
];
