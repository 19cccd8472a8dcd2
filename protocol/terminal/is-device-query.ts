/** Decides whether a token is a device query. */
import {
  type ApcQuery,
  type ControlQuery,
  type CsiQuery,
  type DcsQuery,
  DEVICE_QUERIES,
  type DeviceQuery,
  type EscapeQuery,
  hasQuestionMark,
  type OscQuery,
} from './device-queries.ts';
import type { CsiToken, Token } from './token.ts';

const isA =
  <Q extends DeviceQuery>(kind: Q['kind']) =>
  (query: DeviceQuery): query is Q =>
    query.kind === kind;

const CONTROLS = new Set(DEVICE_QUERIES.filter(isA<ControlQuery>('control')).map(({ char }) => char));
const ESCAPES = new Set(DEVICE_QUERIES.filter(isA<EscapeQuery>('escape')).map(({ final }) => final));
const CSIS = new Map(DEVICE_QUERIES.filter(isA<CsiQuery>('csi')).map((query) => [query.id, query]));
const CSI_FINALS = new Set([...CSIS.keys()].map((id) => id.slice(-1)));
const DCSS = new Set(DEVICE_QUERIES.filter(isA<DcsQuery>('dcs')).map(({ id }) => id));
const OSCS = new Map(DEVICE_QUERIES.filter(isA<OscQuery>('osc')).map((query) => [query.code, query]));
const APCS = DEVICE_QUERIES.filter(isA<ApcQuery>('apc'));

/**
 * OSC codes for titles, directories, links, notifications and marks: their text may contain a question mark without
 * being a query.
 */
const TEXT_CODES: ReadonlySet<number> = new Set([0, 1, 2, 7, 8, 9, 66, 133, 633, 777]);

const DCS_HEADER = /^[<=>?]?[\d;:]*([ -/]*[@-~])/;
const OSC_CODE = /^(\d+)(?:;|$)/;

/** For a string in parts, the first part decides for all of them: a query is never that long. */
export function isDeviceQuery(token: Token): boolean {
  switch (token.kind) {
    case 'text':
    case 'long-more':
    case 'long-end':
      return false;
    case 'control':
      return CONTROLS.has(token.char);
    case 'escape':
      return token.intermediates === '' && ESCAPES.has(token.final);
    case 'csi':
      return CSI_FINALS.has(token.final) && isCsiQuery(token);
    case 'string':
      return isStringQuery(token.introducer, token.data);
    case 'long-start':
      return isStringQuery(token.introducer, token.data) || mayAskLater(token.introducer, token.data);
  }
}

function isCsiQuery({ prefix, intermediates, final, parameters }: CsiToken): boolean {
  const query = CSIS.get(prefix + intermediates + final);
  if (query === undefined) return false;
  return query.asks === undefined || query.asks(parameters.split(';').map(numberOf));
}

function isStringQuery(introducer: string, data: string): boolean {
  switch (introducer) {
    case 'P':
      return DCSS.has(DCS_HEADER.exec(data)?.[1] ?? '');
    case ']':
      return isOscQuery(data);
    case '_':
      return APCS.some(({ start, asks }) => data.startsWith(start) && asks(data));
    default:
      return false;
  }
}

/**
 * For codes that are not listed: no known terminal answers them, but one that does would be asked with a question mark.
 */
function isOscQuery(data: string): boolean {
  const code = oscCodeOf(data);
  if (code === null || TEXT_CODES.has(code)) return false;
  const asks = OSCS.get(code)?.asks ?? hasQuestionMark;
  return asks(data.slice(data.indexOf(';') + 1 || data.length));
}

/**
 * Colours come as lists, so a question mark may follow in a later part. Long clipboard contents and images are not
 * queries.
 */
function mayAskLater(introducer: string, data: string): boolean {
  const code = introducer === ']' ? oscCodeOf(data) : null;
  return code !== null && OSCS.has(code) && code !== CLIPBOARD_CODE && code !== ITERM2_CODE;
}

const CLIPBOARD_CODE = 52;
const ITERM2_CODE = 1337;

function oscCodeOf(data: string): number | null {
  const [, code] = OSC_CODE.exec(data) ?? [];
  return code === undefined ? null : Number(code);
}

/** Ignores subparameters. */
function numberOf(parameter: string): number {
  return Number.parseInt(parameter, 10) || 0;
}
