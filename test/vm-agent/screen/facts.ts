/**
 * Short outputs that once made a restored terminal differ, or that stand for a kind of sequence whose restoration is
 * easily got wrong. Each is cut at every byte.
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
  // Underlines that outlive `ESC 8`, which restores whether something is underlined but not how.
  {
    name: '[D8] an underline colour that is set back after ESC 8',
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
];
