/** The queries that programs send to a terminal, and the expected answers when only the agent's terminal answers. */
import { DEVICE_QUERIES } from '../../protocol/terminal/device-queries.ts';

interface Query {
  readonly asks: string;
  readonly query: string;
  /**
   * Source of a regular expression. Undefined when there is no answer: it would reveal too much, or xterm does not know
   * it.
   */
  readonly answer?: string;
}

const ESC = '\x1b';
const CSI = `${ESC}[`;
const ST = `${ESC}\\`;
/** ESC in a regular expression. */
const E = String.raw`\x1b`;

/** The agent's answers to the examples of DEVICE_QUERIES, by their names there. */
const ANSWERS: Readonly<Record<string, string>> = {
  DA1: String.raw`${E}\[\?62;4;22c`,
  DA2: String.raw`${E}\[>0;276;0c`,
  DSR: String.raw`${E}\[0n`,
  'private DSR': String.raw`${E}\[\?\d+;\d+R`,
  DECRQM: String.raw`${E}\[4;\d\$y`,
  'private DECRQM': String.raw`${E}\[\?2004;\d\$y`,
  'reports of size and colour scheme': String.raw`${E}\[48;\d+;\d+;\d+;\d+t`,
  XTSMGRAPHICS: String.raw`${E}\[\?1;0;256S`,
  XTVERSION: String.raw`${E}P>\|xterm\.js\([\d.]+\)${E}\\`,
  'kitty keyboard flags': String.raw`${E}\[\?0u`,
  XTQMODKEYS: String.raw`${E}\[>4;0m`,
  DECRQSS: String.raw`${E}P1\$r0m${E}\\`,
  'palette colour': String.raw`${E}\]4;1;rgb:[\da-f/]+${E}\\`,
  'dynamic colour 10': String.raw`${E}\]10;rgb:[\da-f/]+${E}\\`,
  'dynamic colour 11': String.raw`${E}\]11;rgb:[\da-f/]+${E}\\`,
  'dynamic colour 12': String.raw`${E}\]12;rgb:[\da-f/]+${E}\\`,
};

/** Other parameters of the same sequences. */
const MORE: readonly Query[] = [
  { asks: 'DA1 with a parameter', query: `${CSI}0c`, answer: String.raw`${E}\[\?62;4;22c` },
  { asks: 'CPR', query: `${CSI}6n`, answer: String.raw`${E}\[\d+;\d+R` },
  { asks: 'DSR of the printer', query: `${CSI}?15n` },
  { asks: 'reports of the colour scheme', query: `${CSI}?2031h` },
  { asks: 'DSR of the keyboard', query: `${CSI}?26n` },
  { asks: 'DSR of the colour scheme', query: `${CSI}?996n`, answer: String.raw`${E}\[\?997;[12]n` },
  { asks: 'DECRQM of synchronised output', query: `${CSI}?2026$p`, answer: String.raw`${E}\[\?2026;\d\$y` },
  { asks: 'DECRQSS of margins', query: `${ESC}P$qr${ST}`, answer: String.raw`${E}P1\$r1;\d+r${E}\\` },
  { asks: 'DECRQSS of the cursor', query: `${ESC}P$q q${ST}`, answer: String.raw`${E}P1\$r\d q${E}\\` },
  {
    asks: 'OSC 11, ended by BEL',
    query: `${ESC}]11;?\x07`,
    answer: String.raw`${E}\]11;rgb:[\da-f/]+${E}\\`,
  },
  { asks: 'the primary selection', query: `${ESC}]52;p;?${ST}` },
  { asks: 'the size in pixels', query: `${CSI}14t`, answer: String.raw`${E}\[4;\d+;\d+t` },
  { asks: 'the size of a cell', query: `${CSI}16t`, answer: String.raw`${E}\[6;20;10t` },
  ...[11, 13, 15, 19, 20, 21].map((n) => ({ asks: `window report ${n}`, query: `${CSI}${n}t` })),
];

export const QUERIES: readonly Query[] = [
  ...DEVICE_QUERIES.map(({ name, example }) => {
    const answer = ANSWERS[name];
    return { asks: name, query: example, ...(answer === undefined ? {} : { answer }) };
  }),
  ...MORE,
];

/** The same queries in forms that a filter may overlook and a terminal understands. */
export const DISGUISED_QUERIES: readonly Query[] = [
  { asks: 'DA1 begun by a C1 control', query: '\u009bc' },
  { asks: 'CPR begun by a C1 control', query: '\u009b6n' },
  { asks: 'DECRQSS between C1 controls', query: '\u0090$qm\u009c' },
  { asks: 'OSC 11 between C1 controls', query: '\u009d11;?\u009c' },
  { asks: 'DECID as a C1 control', query: '\u009a' },
  { asks: 'CPR with controls inside', query: `${ESC}\0[\x006\0n` },
  { asks: 'CPR with DEL inside', query: `${ESC}\x7f[\x7f6\x7fn` },
  { asks: 'DSR with a subparameter', query: `${CSI}5:1n` },
  { asks: 'DSR with leading zeros and more parameters', query: `${CSI}0005;1;2n` },
  { asks: 'DECRQSS with a parameter', query: `${ESC}P1$qm${ST}` },
  { asks: 'DECRQSS with a control in its header', query: `${ESC}P\x01$\x02q\x03m${ST}` },
  { asks: 'DECRQSS ended by another sequence', query: `${ESC}P$qm${CSI}0m` },
  { asks: 'OSC 10 with leading zeros', query: `${ESC}]0010;?${ST}` },
  { asks: 'a colour set and one asked for', query: `${ESC}]10;#ffffff;?${ST}` },
  { asks: 'palette entries set and asked for', query: `${ESC}]4;1;#ff0000;2;?${ST}` },
  { asks: 'CPR inside an unfinished title', query: `${ESC}]0;title${CSI}6n` },
  { asks: 'CPR behind a cancelled string', query: `${ESC}P+q\x18${CSI}6n` },
  { asks: 'CPR behind a restarted sequence', query: `${CSI}1${CSI}6n` },
  { asks: 'an unlisted code with a question mark', query: `${ESC}]7704;1;?${ST}` },
];

/** All queries at once, from a known position, with a title and a clipboard that could be stolen. */
export const EVERY_QUERY = [
  `${CSI}H${CSI}2J${ESC}]2;stolen${ST}${ESC}]52;c;c3RvbGVu\x07`,
  ...QUERIES.map(({ query }) => query),
  // Otherwise the program is told of the size and the colours of every client that types.
  `${CSI}?2031;2048l`,
  // Last, and used by no other query: its answer shows that all others were given.
  `${CSI}?9999$p`,
].join('');

export const LAST_ANSWER = `${CSI}?9999;0$y`;

/** The answers in order, each once, with nothing between them. */
export const EVERY_ANSWER = new RegExp(
  String.raw`^${QUERIES.map(({ answer = '' }) => answer).join('')}${E}\[\?9999;0\$y$`,
);
