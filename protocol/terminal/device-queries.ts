/**
 * The device queries: sequences that make a terminal answer. Answers arrive as typed input, so exactly one terminal
 * must answer a program's query: the agent's. This list is used to suppress queries in every other terminal that shows
 * the output: `/terminal/ws`, the page, and the command line.
 *
 * If a sequence either sets or reports something depending on its parameters, `asks` tells which.
 */

interface Described {
  readonly name: string;
  /** One way to write it. */
  readonly example: string;
}

export interface ControlQuery extends Described {
  readonly kind: 'control';
  readonly char: string;
}

export interface EscapeQuery extends Described {
  readonly kind: 'escape';
  readonly final: string;
}

export interface CsiQuery extends Described {
  readonly kind: 'csi';
  /** Prefix, intermediates and final byte. */
  readonly id: string;
  /** `parameters` come without subparameters; an absent one is 0. */
  readonly asks?: (parameters: readonly number[]) => boolean;
}

/** A query whatever its parameters, prefix and payload are. */
export interface DcsQuery extends Described {
  readonly kind: 'dcs';
  /** Intermediates and final byte. */
  readonly id: string;
}

export interface OscQuery extends Described {
  readonly kind: 'osc';
  readonly code: number;
  /** `payload` is what follows the code and its `;`. */
  readonly asks: (payload: string) => boolean;
}

export interface ApcQuery extends Described {
  readonly kind: 'apc';
  readonly start: string;
  readonly asks: (payload: string) => boolean;
}

export type DeviceQuery = ControlQuery | EscapeQuery | CsiQuery | DcsQuery | OscQuery | ApcQuery;

const ESC = '\x1b';
const CSI = `${ESC}[`;
const ST = `${ESC}\\`;
const osc = (text: string) => `${ESC}]${text}${ST}`;

/**
 * Window operations that report. Of the others, 1 to 10 change the window, 22 and 23 save and restore titles, 24 and up
 * set lines.
 */
const isWindowReport = ([operation = 0]: readonly number[]) =>
  !(operation <= 10 || (operation >= 22 && operation <= 999));

/** Enabling in-band resize reports sends the first one at once. */
export const RESIZE_REPORTS_MODE = 2048;

/** A terminal with this mode reports when its colour scheme changes; programs get the agent's reports. */
export const SCHEME_REPORTS_MODE = 2031;

export const REPORT_MODES = [RESIZE_REPORTS_MODE, SCHEME_REPORTS_MODE];

/** A `?` in place of a value. One sequence may both set and query colours. */
export const hasQuestionMark = (payload: string) =>
  payload.split(';').some((field) => field.startsWith('?') || field.endsWith('=?'));

const CONTROL_QUERIES: readonly ControlQuery[] = [
  { kind: 'control', name: 'ENQ', char: '\x05', example: '\x05' },
];

const ESCAPE_QUERIES: readonly EscapeQuery[] = [
  { kind: 'escape', name: 'DECID', final: 'Z', example: `${ESC}Z` },
];

const csi = (
  name: string,
  id: string,
  parameters: string,
  asks?: (parameters: readonly number[]) => boolean,
): CsiQuery => {
  const prefix = /^[<=>?]/.test(id) ? id.charAt(0) : '';
  const example = `${CSI}${prefix}${parameters}${id.slice(prefix.length)}`;
  return asks === undefined ? { kind: 'csi', name, id, example } : { kind: 'csi', name, id, example, asks };
};

const CSI_QUERIES: readonly CsiQuery[] = [
  csi('DA1', 'c', ''),
  csi('DA2', '>c', ''),
  csi('DA3', '=c', ''),
  csi('private DA', '?c', ''),
  csi('DSR', 'n', '5'),
  csi('private DSR', '?n', '6'),
  csi('DECRQM', '$p', '4'),
  csi('private DECRQM', '?$p', '2004'),
  csi('DECREQTPARM', 'x', ''),
  csi('XTVERSION', '>q', '0'),
  csi('kitty keyboard flags', '?u', ''),
  csi('kitty extra cursors', '> q', ''),
  csi('XTQMODKEYS', '?m', '4'),
  csi('XTSMGRAPHICS', '?S', '1;1;0'),
  csi('window report', 't', '18', isWindowReport),
  csi('reports of size and colour scheme', '?h', '2048', (modes) =>
    REPORT_MODES.some((mode) => modes.includes(mode)),
  ),
  csi('DECRQUPSS', '&u', ''),
  csi('DECRQTSR', '$u', '1'),
  csi('DECRQKT', ',u', '1'),
  csi('DECRQPSR', '$w', '1'),
  csi('DECRQCRA', '*y', '1;1;1;1;2;2'),
  csi('DECRQDE', '"v', ''),
  csi('DECRQLP', "'|", '1'),
  csi('DECRQPKFM', '+x', ''),
  csi('XTREPORTSGR', '#|', '1;1;2;2'),
  csi('XTREPORTCOLORS', '#R', ''),
  // Replays the macro that DECDMAC defines, which may contain any query.
  csi('DECINVM', '*z', '1'),
];

const dcs = (name: string, id: string, payload: string): DcsQuery => ({
  kind: 'dcs',
  name,
  id,
  example: `${ESC}P${id}${payload}${ST}`,
});

const DCS_QUERIES: readonly DcsQuery[] = [
  dcs('DECRQSS', '$q', 'm'),
  dcs('XTGETTCAP', '+q', '544e'),
  dcs('XTGETXRES', '+Q', '666f6e74'),
  dcs('DECDMAC', '!z', '1B5B63'),
  // ReGIS has a command that reports.
  dcs('ReGIS', 'p', 'R(P)'),
];

const colour = (name: string, code: number, payload: string): OscQuery => ({
  kind: 'osc',
  name,
  code,
  asks: hasQuestionMark,
  example: osc(`${code};${payload}`),
});

const DYNAMIC_COLOURS = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19];

const OSC_QUERIES: readonly OscQuery[] = [
  colour('palette colour', 4, '1;?'),
  colour('special colour', 5, '0;?'),
  ...DYNAMIC_COLOURS.map((code) => colour(`dynamic colour ${code}`, code, '?')),
  colour('kitty colours', 21, 'foreground=?'),
  colour('kitty pointer shape', 22, '?__current__'),
  colour('font', 50, '?'),
  colour('clipboard', 52, 'c;?'),
  { kind: 'osc', name: 'XTQALLOWED', code: 60, asks: () => true, example: osc('60') },
  { kind: 'osc', name: 'XTQDISALLOWED', code: 61, asks: () => true, example: osc('61') },
  {
    kind: 'osc',
    name: 'kitty notifications',
    code: 99,
    asks: (payload) => /(?:^|:)p=(?:\?|alive)/.test(payload),
    example: osc('99;i=1:p=?;'),
  },
  {
    kind: 'osc',
    name: 'iTerm2 reports',
    code: 1337,
    asks: (payload) => /^(?:Report|Request|Capabilities)/.test(payload),
    example: osc('1337;ReportCellSize'),
  },
  {
    kind: 'osc',
    name: 'kitty clipboard',
    code: 5522,
    asks: (payload) => /(?:^|:)type=read/.test(payload),
    example: osc('5522;type=read;dGV4dC9wbGFpbg=='),
  },
];

/** Kitty answers a graphics command that has an id, unless it is told to be quiet. */
function asksGraphics(payload: string): boolean {
  const keys = (payload.slice(1).split(';')[0] ?? '').split(',');
  const has = (pattern: RegExp) => keys.some((key) => pattern.test(key));
  return has(/^a=q$/) || (has(/^[iI]=/) && !has(/^q=2$/));
}

const APC_QUERIES: readonly ApcQuery[] = [
  {
    kind: 'apc',
    name: 'kitty graphics',
    start: 'G',
    asks: asksGraphics,
    example: `${ESC}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA${ST}`,
  },
];

export const DEVICE_QUERIES: readonly DeviceQuery[] = [
  ...CONTROL_QUERIES,
  ...ESCAPE_QUERIES,
  ...CSI_QUERIES,
  ...DCS_QUERIES,
  ...OSC_QUERIES,
  ...APC_QUERIES,
];
