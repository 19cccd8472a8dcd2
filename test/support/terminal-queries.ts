/** What programs ask a terminal, and what comes back when the agent's terminal, alone, answers. */

interface Query {
  readonly asks: string;
  readonly query: string;
  /** Source of a regular expression. Undefined when nobody answers: it would tell too much, or xterm does not know it. */
  readonly answer?: string;
}

const ESC = '\x1b';
const CSI = `${ESC}[`;
const ST = `${ESC}\\`;
/** ESC in a regular expression. */
const E = String.raw`\x1b`;

export const QUERIES: readonly Query[] = [
  { asks: 'DA1', query: `${CSI}c`, answer: String.raw`${E}\[\?1;2c` },
  { asks: 'DA1 with a parameter', query: `${CSI}0c`, answer: String.raw`${E}\[\?1;2c` },
  { asks: 'DA2', query: `${CSI}>c`, answer: String.raw`${E}\[>0;276;0c` },
  { asks: 'DA3', query: `${CSI}=c` },
  { asks: 'DSR 5', query: `${CSI}5n`, answer: String.raw`${E}\[0n` },
  { asks: 'CPR', query: `${CSI}6n`, answer: String.raw`${E}\[\d+;\d+R` },
  { asks: 'DECXCPR', query: `${CSI}?6n`, answer: String.raw`${E}\[\?\d+;\d+R` },
  { asks: 'DSR of the printer', query: `${CSI}?15n` },
  { asks: 'DSR of the keyboard', query: `${CSI}?26n` },
  { asks: 'DSR of the colour scheme', query: `${CSI}?996n` },
  { asks: 'DECRQM', query: `${CSI}4$p`, answer: String.raw`${E}\[4;\d\$y` },
  { asks: 'private DECRQM', query: `${CSI}?2004$p`, answer: String.raw`${E}\[\?2004;\d\$y` },
  { asks: 'DECRQM of synchronised output', query: `${CSI}?2026$p`, answer: String.raw`${E}\[\?2026;\d\$y` },
  { asks: 'DECRQSS of colours', query: `${ESC}P$qm${ST}`, answer: String.raw`${E}P1\$r0m${E}\\` },
  { asks: 'DECRQSS of margins', query: `${ESC}P$qr${ST}`, answer: String.raw`${E}P1\$r1;\d+r${E}\\` },
  { asks: 'DECRQSS of the cursor', query: `${ESC}P$q q${ST}`, answer: String.raw`${E}P1\$r\d q${E}\\` },
  { asks: 'DECREQTPARM', query: `${CSI}x` },
  { asks: 'DECRQPSR', query: `${CSI}1$w` },
  { asks: 'DECRQCRA', query: `${CSI}1;1;1;1;2;2*y` },
  { asks: 'XTVERSION', query: `${CSI}>0q`, answer: String.raw`${E}P>\|xterm\.js\([\d.]+\)${E}\\` },
  { asks: 'XTGETTCAP', query: `${ESC}P+q544e;436f${ST}` },
  { asks: 'XTSMGRAPHICS', query: `${CSI}?1;1;0S` },
  { asks: 'a kitty image', query: `${ESC}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA${ST}` },
  { asks: 'kitty keyboard flags', query: `${CSI}?u` },
  { asks: 'modifyOtherKeys', query: `${CSI}?4m` },
  { asks: 'OSC 4', query: `${ESC}]4;1;?\x07`, answer: String.raw`${E}\]4;1;rgb:[\da-f/]+${E}\\` },
  { asks: 'OSC 10', query: `${ESC}]10;?\x07`, answer: String.raw`${E}\]10;rgb:[\da-f/]+${E}\\` },
  { asks: 'OSC 11', query: `${ESC}]11;?${ST}`, answer: String.raw`${E}\]11;rgb:[\da-f/]+${E}\\` },
  { asks: 'OSC 12', query: `${ESC}]12;?\x07`, answer: String.raw`${E}\]12;rgb:[\da-f/]+${E}\\` },
  { asks: 'the clipboard', query: `${ESC}]52;c;?\x07` },
  { asks: 'the primary selection', query: `${ESC}]52;p;?${ST}` },
  { asks: 'the size of a cell', query: `${ESC}]1337;ReportCellSize${ST}` },
  ...[11, 13, 14, 15, 16, 18, 19, 20, 21].map((n) => ({
    asks: `window report ${n}`,
    query: `${CSI}${n}t`,
  })),
  { asks: 'ENQ', query: '\x05' },
  { asks: 'VT52 identify', query: `${ESC}Z` },
];

/** Everything at once, from a known place; the title and a clipboard are there to be stolen. */
export const EVERY_QUERY = [
  `${CSI}H${CSI}2J${ESC}]2;stolen${ST}${ESC}]52;c;c3RvbGVu\x07`,
  ...QUERIES.map(({ query }) => query),
  // Last, and asked for by nobody else: its answer says that every other was given.
  `${CSI}?9999$p`,
].join('');

export const LAST_ANSWER = `${CSI}?9999;0$y`;

/** The answers in their order, each once, and nothing between them. */
export const EVERY_ANSWER = new RegExp(
  String.raw`^${QUERIES.map(({ answer = '' }) => answer).join('')}${E}\[\?9999;0\$y$`,
);
