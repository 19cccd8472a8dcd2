/** Random programs for property tests: what they print, the terminal they print to, and where to cut. */
import fc from 'fast-check';
import { pngHeader } from '../../support/png.ts';
import { bytesOf, NONCE } from './terminal-state.ts';

const CSI = '\x1b[';
const number = (max: number) => fc.integer({ min: 0, max });
const oneOf = (...texts: string[]) => fc.constantFrom(...texts);

const LETTERS = ['a', 'Z', ' ', 'q', '~', '#', 'é', '—', '界', '한', 'e\u0301', '👍', '─', '𝄞'];

/** Parts of clusters, which join each other in every order: emoji, flags, keycaps, Indic and Hangul, marks alone. */
const CLUSTER_PARTS = [
  ...['👩', '🚀', '☺', '☝', '🏽', '🇩', '🇪', '1', '#', '\u20e3', '\ufe0f', '\ufe0e', '\u200d', '\u200b'],
  ...[
    'क',
    'ष',
    '\u094d',
    '\u093e',
    'ㄱ',
    '\u1100',
    '\u1161',
    '\u11a8',
    '가',
    '각',
    'ﾞ',
    'カ',
    '\u0600',
    '\u0d4e',
  ],
  ...['\u0301', '\u0e33', 'ก', '©', '\u1f3fb'],
];

const text = fc
  .array(
    fc.oneof({ weight: 2, arbitrary: oneOf(...LETTERS) }, { weight: 1, arbitrary: oneOf(...CLUSTER_PARTS) }),
    { minLength: 1, maxLength: 30 },
  )
  .map((chars) => chars.join(''));

const sgr = oneOf(
  ...'0 1 2 3 4 4:2 4:3 5 7 8 9 21 22 23 24 25 27 28 29 31 42 93 104 38;5;3 38;5;200 48;5;17'.split(' '),
  ...'38;2;1;2;3 48;2;200;100;50 58;5;9 58;2;9;8;7 59 53 55 39 49 1;31;44 0;7'.split(' '),
).map((codes) => `${CSI}${codes}m`);

/** Marks of a shell, in and out of order. `proof` is their nonce. */
const marksWith = (proof: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 2, arbitrary: proof.map((nonce) => `133;A${nonce}`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(proof, number(5), oneOf('', ';cmdline_url=ls', ';cmdline_url=a%3bb%0a%25 é'))
        .map(([nonce, n, line]) => `133;C${nonce};n=${n}${line}`),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(proof, oneOf('', ';0', ';1')).map(([nonce, exit]) => `133;D${exit}${nonce}`),
    },
    oneOf('633;E;ls', '633;E;a\\x3bb\\\\', `633;E;ls;${NONCE}`, '633;A', '633;C', '633;D;2', '133;B'),
  );

const mark = marksWith(oneOf('', '', ';nonce=other', `;nonce=${NONCE}`));

/** Images: sixels that declare their size or not, and the header of a PNG file; also some that are no images. */
export const image = fc.oneof(
  fc.tuple(number(70), number(70)).map(([width, height]) => `\x1bPq"1;1;${width};${height}#1~~$-\x1b\\`),
  fc.tuple(number(60), number(6)).map(([width, bands]) => `\x1bP0;1q!${width}~${'-~'.repeat(bands)}\x1b\\`),
  fc
    .tuple(number(90), number(70), oneOf('', ';width=3', ';height=2;preserveAspectRatio=0', ';width=50%'))
    .map(([width, height, how]) => `\x1b]1337;File=inline=1${how}:${pngHeader(width, height)}\x07`),
  oneOf(
    '\x1b]1337;File=inline=0:AAAA\x07',
    '\x1b]1337;SetMark\x07',
    '\x1bPq\x1b\\',
    '\x1b]1337;File=inline=1:?\x07',
  ),
  fc
    .tuple(number(4), number(4), number(4), number(9), oneOf('', ';3', ';30'))
    .map(([n, row, col, count, at]) => `\x1b]1337;HoldfastTiles=${n};${row};${col};${count}${at}\x07`),
);

// Without mode 7: with wrapping off xterm drops a wide character that does not fit but lets marks join it.
const token = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 3, arbitrary: sgr },
  { weight: 2, arbitrary: oneOf('\r\n', '\r', '\n', '\b', '\t', '\x0e', '\x0f', '\x07') },
  fc.tuple(number(14), number(24)).map(([row, col]) => `${CSI}${row};${col}H`),
  fc.tuple(number(9), oneOf(...'@ABCDEFGIJKLMPSTXZ`abdeg')).map(([count, final]) => `${CSI}${count}${final}`),
  fc
    .tuple(
      oneOf(
        '1',
        '6',
        '12',
        '25',
        '45',
        '66',
        '9',
        '1000',
        '1002',
        '1003',
        '1004',
        '1006',
        '1016',
        '2004',
        '2026',
        '2027',
        '2031',
        '2048',
      ),
      oneOf('h', 'l'),
    )
    .map(([mode, set]) => `${CSI}?${mode}${set}`),
  oneOf('?47h', '?47l', '?1047h', '?1047l', '?1049h', '?1049l', '4h', '4l', '20h', '20l').map(
    (mode) => CSI + mode,
  ),
  fc.tuple(number(8), number(12)).map(([top, bottom]) => `${CSI}${top};${bottom}r`),
  fc.tuple(sgr, text).map(([style, inside]) => `\x1b7${style}${inside}\x1b8`),
  fc
    .tuple(oneOf('(', ')', '*', '+'), oneOf('0', 'B', 'A', '4', 'K'))
    .map(([level, set]) => `\x1b${level}${set}`),
  oneOf('\x1bn', '\x1bo', '\x1bD', '\x1bE', '\x1bM', '\x1bH', '\x1b=', '\x1b>', '\x1b#8', '\x1b[!p', '\x1bc'),
  fc
    .tuple(oneOf('', 'id=x'), oneOf('http://a/', 'http://b/;c'), text)
    .map(([id, uri, inside]) => `\x1b]8;${id};${uri}\x1b\\${inside}\x1b]8;;\x1b\\`),
  fc.tuple(number(2), text).map(([kind, title]) => `\x1b]${kind};${title}\x07`),
  fc.tuple(number(20), oneOf('ff0000', '123456')).map(([index, color]) => `\x1b]4;${index};#${color}\x07`),
  number(8).map((style) => `${CSI}${style} q`),
  fc.tuple(number(33), number(4)).map(([flags, how]) => `${CSI}=${flags};${how}u`),
  number(33).map((flags) => `${CSI}>${flags}u`),
  // Flags that stay on the alternate screen while it is not shown.
  number(33).map((flags) => `${CSI}?47h${CSI}>${flags}u${CSI}?47l`),
  number(3).map((count) => `${CSI}<${count}u`),
  oneOf('>4;1m', '>4;2m', '>4;7m', '>4m', '>m', '>4n', '?u', '?4m').map((other) => CSI + other),
  number(2).map((protection) => `${CSI}${protection}"q`),
  oneOf('?J', '?K', '?2J', '?1K', '2J', '1J', '2K', '1K').map((erase) => CSI + erase),
  fc.tuple(text, number(5)).map(([before, count]) => `${before}${CSI}${count}b`),
  { weight: 3, arbitrary: mark.map((data) => `\x1b]${data}\x07`) },
  fc.tuple(mark, text).map(([data, line]) => `\x1b]${data}\x1b\\${line}\r\n`),
  { weight: 2, arbitrary: image },
  oneOf(
    '\x1b_apc\x1b\\',
    '\x1bP$qm\x1b\\',
    `${CSI}\n3\r1m`,
    '\x84',
    '\x85',
    `${CSI}3\x18`,
    '\x9b1m',
    '\x1b]52;c;?\x07',
  ),
);

export const program = fc.record({
  size: fc.record({ cols: fc.integer({ min: 2, max: 24 }), rows: fc.integer({ min: 2, max: 10 }) }),
  scrollback: fc.constantFrom(0, 3, 10, 50),
  output: fc.array(token, { maxLength: 40 }).map((tokens) => bytesOf(tokens.join(''))),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
});

/** Mostly marks, and what moves, erases or deletes rows. */
const markedToken = (proof: string) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: (proof === 'any' ? mark : marksWith(oneOf(proof))).map((data) => `\x1b]${data}\x07`),
    },
    { weight: 4, arbitrary: oneOf('$ ls', 'output', 'longer than a row of it', '界界界') },
    { weight: 4, arbitrary: oneOf('\r\n', '\r\n', '\n', '\r') },
    fc.tuple(number(9), oneOf(...'ABHLMST')).map(([count, final]) => `${CSI}${count}${final}`),
    oneOf('J', '1J', '2J', '3J', 'H', '2;5r', 'r', '?47h', '?47l', '?1049h', '?1049l').map(
      (rest) => CSI + rest,
    ),
    oneOf(`${CSI}H${CSI}2J`, `${CSI}H${CSI}2J${CSI}3J`, '\x1bM', '\x1bc'),
  );

export const markedProgram = fc.record({
  size: fc.record({ cols: fc.integer({ min: 2, max: 24 }), rows: fc.integer({ min: 2, max: 10 }) }),
  scrollback: fc.constantFrom(0, 3, 10, 50),
  output: fc
    .constantFrom('', `;nonce=${NONCE}`, 'any')
    .chain((proof) => fc.array(markedToken(proof), { maxLength: 40 }))
    .map((tokens) => bytesOf(tokens.join(''))),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
});
