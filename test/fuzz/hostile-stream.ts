/** Hostile terminal output: queries, huge counts, endless sequences, links, titles, images, split characters. */

import { pngHeader } from '../support/png.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { DISGUISED_QUERIES, QUERIES } from '../support/terminal-queries.ts';

const PARTS_MAX = 40;
const ALL_QUERIES = [...QUERIES, ...DISGUISED_QUERIES];
const COUNTS = ['', '0', '1', '2', '24', '80', '1000', '65535', '2147483647', '99999999999999999999', '-1'];
const FINALS = [...'@ABCDEFGHIJKLMPSTXZ`abcdefghilmnpqrstuvwxyz{|}~'];
const PREFIXES = ['', '', '', '?', '>', '=', '<'];
const INTERMEDIATES = ['', '', '', '', ' ', '!', '"', '#', '$', "'", '*'];
const OSC_CODES = [0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 22, 52, 104, 110, 133, 777, 1337, 99_999];
const OSC_PAYLOADS = [
  '?',
  'c;?',
  'c;aGVsbG8=',
  ';http://x/',
  ';javascript:alert(1)',
  '1;?',
  'file:///etc',
  '\u202eevil',
  '\0',
  '#ff0000',
];
const TEXTS = [
  'a',
  'text ',
  '\r\n',
  '\t',
  '漢字',
  '👩‍👩‍👧‍👦',
  'e\u0301\u0301\u0301',
  '\u202e',
  '\x07',
  '\x08',
  '\x0e',
  '\x0f',
  '\x7f',
  '\x85',
  '\x9b6n',
  '\x90$qm\x9c',
];
const MODES = [
  1, 3, 5, 6, 7, 9, 12, 25, 45, 47, 66, 69, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1048, 1049,
  2004, 2026, 9001,
];

const IMAGES = [
  `File=inline=1;width=9999%:${pngHeader(300, 200)}`,
  `File=inline=1:${pngHeader(60_000, 60_000)}`,
  'HoldfastImage=7;sixel;20;20;4096;4096:#1~~',
  'HoldfastTiles=7;0;0;80',
  'HoldfastTiles=1;4095;4000;95;79',
];

type Part = (random: SeededRandom) => string;

const csi: Part = (random) => {
  const counts = Array.from({ length: random.int(0, 4) }, () => random.pick(COUNTS)).join(
    random.pick([';', ':']),
  );
  return `\x1b[${random.pick(PREFIXES)}${counts}${random.pick(INTERMEDIATES)}${random.pick(FINALS)}`;
};
const osc: Part = (random) =>
  `\x1b]${random.pick(OSC_CODES)};${random.pick(OSC_PAYLOADS)}${random.pick(['\x07', '\x1b\\', '', '\x18'])}`;
const dcs: Part = (random) =>
  `\x1b${random.pick(['P', '_', '^', 'X'])}${random.pick(['$q', '+q', 'q', '1;2|', ''])}${'A'.repeat(random.int(0, 200))}${random.pick(['\x1b\\', '', '\x1a'])}`;
const sixel: Part = (random) =>
  `\x1bPq${random.pick(['', '"1;1;300;200', '"1;1;99999;1'])}#${random.int(0, 999)}!${random.pick(COUNTS)}~-${random.pick(['\x1b\\', '', '\x18'])}`;
const long: Part = (random) =>
  random.pick(['A', '\x1b[', '9;', '\x1b]0;', '\u0301']).repeat(random.int(100, 3000));

const PARTS: readonly (readonly [part: Part, weight: number])[] = [
  [csi, 8],
  [osc, 4],
  [dcs, 2],
  [(random) => random.pick(ALL_QUERIES).query, 4],
  [(random) => `\x1b[?${random.pick(MODES)}${random.pick(['h', 'l'])}`, 3],
  [(random) => random.pick(TEXTS), 6],
  [(random) => `\x1b${String.fromCharCode(random.int(0x20, 0x7e))}`, 2],
  [long, 0.3],
  [sixel, 1],
  [(random) => `\x1b]1337;${random.pick(IMAGES)}${random.pick(['\x07', '\x1b\\', ''])}`, 1],
];

export function hostileStream(random: SeededRandom): Uint8Array<ArrayBuffer> {
  const parts = Array.from({ length: random.int(1, PARTS_MAX) }, () => random.weighted(PARTS)(random));
  const bytes = new TextEncoder().encode(parts.join(''));
  // Cut anywhere, also within a character; now and then with bytes that are no characters at all.
  if (random.chance(0.3)) bytes[random.int(0, bytes.length - 1)] = random.int(0x80, 0xff);
  return bytes.slice(0, random.chance(0.3) ? random.int(1, bytes.length) : bytes.length);
}
