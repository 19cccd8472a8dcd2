/** Recordings of output that no installed program prints, composed here sequence by sequence. */

import { NONCE } from './terminal-state.ts';

interface Printed {
  readonly cols: number;
  readonly rows: number;
  readonly output: string;
  readonly resizes?: readonly { readonly offset: number; readonly cols: number; readonly rows: number }[];
}

const CSI = '\x1b[';
const range = (count: number) => Array.from({ length: count }, (_, index) => index);

export function printed(): Record<string, Printed> {
  return {
    colours: { cols: 80, rows: 24, output: colours() },
    unicode: { cols: 40, rows: 20, output: unicode() },
    regions: { cols: 60, rows: 20, output: regions() },
    modes: { cols: 72, rows: 16, output: modes() },
    spinner: { cols: 80, rows: 24, output: spinner() },
    reflow: reflow(),
    marks: marks(),
  };
}

function colours(): string {
  const cube = range(256).map(
    (n) => `${CSI}48;5;${n}m ${CSI}38;5;${255 - n}m${n.toString(16)}${CSI}0m${n % 16 === 15 ? '\r\n' : ''}`,
  );
  const ramp = range(60).map((n) => `${CSI}48;2;${n * 4};${255 - n * 4};128m${CSI}38;2;255;${n};0m▀`);
  const styles = [1, 2, 3, 4, 5, 7, 8, 9, 21, 53].map((n) => `${CSI}${n}mstyle ${n}${CSI}0m `);
  const underlines = range(6).map(
    (n) => `${CSI}4:${n}m${CSI}58;2;${n * 40};80;200munder${CSI}59m${n}${CSI}24m `,
  );
  const erased = `${CSI}44mblue${CSI}K${CSI}0m\r\n${CSI}41m${CSI}2K red row ${CSI}0m\r\n${CSI}1;2mbold dim${CSI}22m neither${CSI}0m\r\n`;
  return [...cube, ...ramp, `${CSI}0m\r\n`, ...styles, '\r\n', ...underlines, '\r\n', erased, ...cube].join(
    '',
  );
}

function unicode(): string {
  const words = [
    '日本語テキスト',
    '한국어',
    'e\u0301a\u0308o\u0302',
    '👍🏽👨‍👩‍👧',
    '𝄞𝔘𝔫𝔦',
    '—–…“”',
    'ＦＵＬＬ',
    'نص',
    '\u200bzero',
  ];
  const lines = range(40).map(
    (n) => `${n} ${words[n % words.length]} ${words[(n * 7) % words.length]?.repeat(3)}\r\n`,
  );
  const edges = range(6).map((n) => `${'x'.repeat(36 + n)}界界\r\n`);
  const halves = `${CSI}3;1H界界界界${CSI}3;2Hx${CSI}3;5H${CSI}31mY${CSI}0m${CSI}5;39H界${CSI}6;40H界${CSI}4@${CSI}2P`;
  return [
    ...lines,
    ...edges,
    halves,
    `${CSI}7m${CSI}8;10H界${CSI}8;11H.${CSI}0m`,
    'tail e',
    '\u0301',
    `${CSI}3b`,
    '\r\nend',
  ].join('');
}

function regions(): string {
  const box = `\x1b(0lqqqk\r\nx   x\r\nmqqqj\x1b(B plain \x0eqq\x0f \x1b)0\x0exx\x0f\r\n`;
  const scroll = `${CSI}5;15r${CSI}15;1H${range(30)
    .map((n) => `\r\nscrolled ${n}`)
    .join('')}${CSI}5;1H${range(5)
    .map((n) => `\x1bMback ${n}\r`)
    .join('')}`;
  const origin = `${CSI}?6h${CSI}1;1Horigin${CSI}3;10Hinside${CSI}2L${CSI}1M${CSI}?6l${CSI}r`;
  const tabs = `${CSI}18;1H${CSI}3g${CSI}5G\x1bH${CSI}12G\x1bH${CSI}30G\x1bH\r\ta\tb\tc\r\n${CSI}12G${CSI}0g\r\ta\tb`;
  const saved = `${CSI}10;20H${CSI}1;35m\x1b7${CSI}1;1H${CSI}0mmoved\x1b8back`;
  const edits = `${CSI}12;1Habcdefghij${CSI}12;4H${CSI}4hINS${CSI}4l${CSI}2X${CSI}3P${CSI}2S${CSI}1T`;
  const rectangle = `${CSI}14;60H${CSI}?7lno wrap here${CSI}?7h${CSI}14;58Hwraps on`;
  return [box, scroll, origin, tabs, saved, edits, rectangle, `${CSI}3;18r`].join('');
}

function modes(): string {
  const link = (id: string, uri: string, text: string) => `\x1b]8;${id};${uri}\x1b\\${text}\x1b]8;;\x1b\\`;
  return [
    `\x1b]0;a title — 界\x07\x1b]7;file://demo/tmp/demo\x1b\\\x1b]1;icon\x07`,
    link('', 'https://example.org/one', 'plain link'),
    ' ',
    link('id=7', 'https://example.org/two;x=1', `link ${CSI}4;31mstyled${CSI}0m across`),
    `\r\n${link('id=7', 'https://example.org/two;x=1', 'the same again')}\r\n`,
    `${CSI}?1000h${CSI}?1006h${CSI}?1004h${CSI}?2004h${CSI}?1h\x1b=${CSI}?25l${CSI}5 q${CSI}?45h${CSI}?12h`,
    `\x1b]4;1;#ff8800\x07\x1b]11;rgb:10/20/30\x07${CSI}31mrecoloured${CSI}0m`,
    `${CSI}?1049h${CSI}2J${CSI}1;1Halternate ${CSI}7mscreen${CSI}0m${CSI}3;5r${CSI}4;4H${CSI}?1003h${CSI}?1016hmore`,
    `${CSI}?2026h${CSI}2;2Hin one go${CSI}?2026l${CSI}c${CSI}>c${CSI}6n${CSI}?1$p\x1bP$qr\x1b\\\x1b]10;?\x07`,
    `${CSI}?1049l${CSI}?1003l${CSI}?25h\r\nback on the normal screen`,
    `\x1b_ignored apc\x1b\\\x1b^ignored pm\x1b\\\x1bPignored dcs\x1b\\\x1b]52;c;aGk=\x07\x1b]1337;unknown\x07`,
    `${CSI}1"qprotected${CSI}0"q open${CSI}?1K\r\n${CSI}!p soft reset ${CSI}38:2::1:2:3mcolon colour${CSI}m`,
    `${CSI}\n3\r1mcontrols inside a sequence \x1b[3\x18cancelled \x9b31mC1 CSI\x9d2;C1 title\x9c${CSI}0m done`,
  ].join('');
}

function spinner(): string {
  const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
  const turns = range(80).map(
    (n) => `\r${CSI}36m${frames[n % 10]}${CSI}39m installing ${CSI}2m${'.'.repeat(n % 20)}${CSI}22m${CSI}K`,
  );
  const bars = range(50).map(
    (n) => `${CSI}2A${CSI}1G${CSI}32m${'█'.repeat(n)}${CSI}0m${'░'.repeat(50 - n)} ${n * 2}%${CSI}2B\r`,
  );
  return `${CSI}?25lstart\r\n\r\n${turns.join('')}${bars.join('')}\r${CSI}2K${CSI}?25hdone in 3 s\r\n$ `;
}

/** A shell that marks its prompts and commands, first without a nonce, then with that of the tests' terminals. */
function marks(): Printed {
  const osc = (data: string) => `\x1b]${data}\x07`;
  const ran = (number: number, line: string, output: string, proof: string) =>
    `${osc(`133;A${proof}`)}${CSI}32mdemo${CSI}0m:~$ ${line}\r\n${osc(`133;C${proof};n=${number};cmdline_url=${line}`)}${output}${osc(`133;D;${number % 3};${proof.slice(1)};n=${number}`)}`;
  const outputs = [
    '',
    'one line\r\n',
    'no newline',
    `${'long words that wrap '.repeat(9)}\r\n`,
    '1\r\n2\r\n3\r\n',
  ];
  const several = (from: number, proof: string) =>
    range(30)
      .map((n) => ran(from + n, `command ${from + n}`, outputs[n % outputs.length] ?? '', proof))
      .join('');
  const proof = `;nonce=${NONCE}`;
  const parts = [
    several(1, ''),
    several(31, proof),
    `${osc(`133;A${proof}`)}$ vim${CSI}?1049h${CSI}2J~${osc(`133;A${proof}`)}${CSI}?1049l${CSI}H${CSI}2J$ `,
    `${several(61, proof)}${several(91, ';nonce=other')}${CSI}5A${CSI}3M${osc(`133;A${proof}`)}$ `,
  ];
  const ends = parts.map((_, index) => Buffer.byteLength(parts.slice(0, index + 1).join('')));
  const sizes = [
    { cols: 40, rows: 20 },
    { cols: 100, rows: 12 },
    { cols: 64, rows: 24 },
  ];
  return {
    cols: 80,
    rows: 24,
    output: parts.join(''),
    resizes: sizes.map((size, index) => ({ offset: ends[index] ?? 0, ...size })),
  };
}

function reflow(): Printed {
  const part = (from: number) =>
    range(40)
      .map((n) => `${from + n} ${'long words that wrap around '.repeat((n % 7) + 1)}界\r\n`)
      .join('');
  const parts = [part(0), part(100), part(200), `prompt$ ${'typed '.repeat(20)}`];
  const sizes = [
    { cols: 50, rows: 24 },
    { cols: 120, rows: 18 },
    { cols: 31, rows: 30 },
  ];
  const ends = parts.map((_, index) => Buffer.byteLength(parts.slice(0, index + 1).join('')));
  return {
    cols: 80,
    rows: 24,
    output: parts.join(''),
    resizes: sizes.map((size, index) => ({ offset: ends[index] ?? 0, ...size })),
  };
}
