/**
 * Keeps hostile output from making a terminal answer queries or hang.
 *
 * Output may be replayed and may have several viewers. An answer from a page would be typed into a shell that did not
 * ask, or typed five times. Only the agent answers; a page swallows every query, and nothing else: what a sequence sets
 * besides asking is still set, because the agent's terminal sets it too. A parser handler returns whether it has fully
 * handled the sequence.
 */
import type { IFunctionIdentifier, IParser } from '@xterm/xterm';
import type { Size } from '../../../protocol/frame.ts';
import { boundCells, type CelledCore } from '../../../protocol/terminal/cell-text.ts';
import { boundColourLists } from '../../../protocol/terminal/colour-lists.ts';
import { COUNT_BOUNDS, COUNT_BOUNDS_INTERMEDIATE } from '../../../protocol/terminal/count-bounds.ts';
import {
  type CsiQuery,
  DEVICE_QUERIES,
  type DeviceQuery,
  REPORT_MODES,
} from '../../../protocol/terminal/device-queries.ts';
import { mendEraseAbove } from '../../../protocol/terminal/erase-above.ts';
import { boundLinks, type LinkedCore } from '../../../protocol/terminal/link-table.ts';
import { boundRepeats, type RepeatingCore } from '../../../protocol/terminal/repeat-bound.ts';
import { type ColouredCore, gatherColourChanges } from './colour-changes.ts';

/** The parts of a terminal used here; works in the page and headless. */
interface HostTerminal {
  readonly parser: IParser;
  readonly rows: number;
  readonly cols: number;
  onLineFeed(listener: () => void): unknown;
}

export function restrictOutput(terminal: HostTerminal): void {
  const { _core: core } = terminal as unknown as { readonly _core: Core };
  for (const query of DEVICE_QUERIES) swallow(terminal.parser, core, query);
  clampCounts(terminal, core);
  boundRepeats(core);
  boundLinks(core);
  boundCells(core);
  gatherColourChanges(core);
  boundColourLists(terminal.parser);
  mendEraseAbove(core);
  limitAnnouncements(terminal, core);
  outliveExceptions(core);
}

/**
 * An exception in the parser would stop xterm's queue for good, and the terminal would show nothing any more. As in the
 * agent, the rest of the step is lost instead, and the terminal continues with the next one.
 */
function outliveExceptions({ _inputHandler: input }: Core): void {
  const parse = input.parse.bind(input);
  input.parse = (...chunk) => {
    try {
      return parse(...chunk);
    } catch {
      input._parser.reset();
      return undefined;
    }
  };
}

/**
 * Limits what screen readers are told. xterm collects the characters that are printed until it has 20 lines, and then
 * says that there is too much output. It counts line feeds only, so a line that does not end has no limit: the page
 * would add to a text of megabytes every second, and stop for seconds. Here every full row counts as a line.
 */
function limitAnnouncements(terminal: HostTerminal, { _onA11yCharEmitter: printed }: Core): void {
  if (printed === undefined) return;
  const fire = printed.fire.bind(printed);
  let column = 0;
  printed.fire = (char) => {
    fire(char);
    if (++column < terminal.cols) return;
    column = 0;
    fire('\n');
  };
  terminal.onLineFeed(() => {
    column = 0;
  });
}

/** ENQ and APC need no handlers: xterm drops them. */
function swallow(parser: IParser, core: Core, query: DeviceQuery): void {
  switch (query.kind) {
    case 'escape':
      parser.registerEscHandler({ final: query.final }, () => true);
      break;
    case 'csi':
      if (query.id === '?h') swallowModes(core, REPORT_MODES);
      else parser.registerCsiHandler(identifierOf(query.id), (parameters) => asksBy(query, parameters));
      break;
    case 'dcs':
      parser.registerDcsHandler(identifierOf(query.id), () => true);
      break;
    case 'osc':
      parser.registerOscHandler(query.code, (payload) => {
        if (!query.asks(payload)) return false;
        setColours(core, query.code, payload);
        return true;
      });
      break;
  }
}

function asksBy({ asks }: CsiQuery, parameters: readonly (number | number[])[]): boolean {
  return asks?.(parameters.filter((parameter) => typeof parameter === 'number')) ?? true;
}

/** Other modes in the same sequence are still set. A swallowed mode is replaced by 0, which is no mode. */
function swallowModes(core: Core, modes: readonly number[]): void {
  core.registerCsiHandler({ prefix: '?', final: 'h' }, ({ params, length }) => {
    for (let at = 0; at < length; at++) if (modes.includes(params[at] ?? 0)) params[at] = 0;
    return false;
  });
}

function identifierOf(id: string): IFunctionIdentifier {
  const [, prefix = '', intermediates = '', final = ''] = /^([<=>?]?)([ -/]*)([@-~])$/.exec(id) ?? [];
  return { prefix, intermediates, final };
}

const COLOUR_HANDLERS: Readonly<Record<number, ColourHandler>> = {
  4: 'setOrReportIndexedColor',
  10: 'setOrReportFgColor',
  11: 'setOrReportBgColor',
  12: 'setOrReportCursorColor',
};

/** Applies the colours that a sequence sets besides those it asks for. An empty field is no colour and sets nothing. */
function setColours({ _inputHandler: input }: Core, code: number, payload: string): void {
  const handler = COLOUR_HANDLERS[code];
  if (handler === undefined) return;
  const fields = payload.split(';').map((field) => (field.startsWith('?') ? '' : field));
  input[handler](fields.join(';'));
}

type ColourHandler =
  | 'setOrReportIndexedColor'
  | 'setOrReportFgColor'
  | 'setOrReportBgColor'
  | 'setOrReportCursorColor';

/** The parameters that xterm's own handlers, which run after ours, will read. */
interface RawParameters {
  readonly params: Int32Array;
  readonly length: number;
}

interface Core extends LinkedCore, CelledCore, ColouredCore, RepeatingCore {
  readonly cols: number;
  readonly rows: number;
  /** Receives each printed character while screen readers are supported; a terminal without a page has none. */
  readonly _onA11yCharEmitter?: { fire(char: string): void };
  readonly buffers: LinkedCore['buffers'] & CelledCore['buffers'] & RepeatingCore['buffers'];
  readonly _inputHandler: LinkedCore['_inputHandler'] &
    Readonly<Record<ColourHandler, (payload: string) => boolean>> & {
      readonly _parser: RepeatingCore['_inputHandler']['_parser'] & { reset(): void };
      /** Returns nothing as long as no handler is asynchronous; ours are not. */
      parse(...chunk: readonly unknown[]): Promise<boolean> | undefined;
    };
  registerCsiHandler(id: IFunctionIdentifier, handle: (parameters: RawParameters) => boolean): void;
}

/**
 * Uses the agent's own table, so that both terminals show the same. The public parser passes copies, which can be
 * swallowed but not corrected; the core passes the real parameters.
 */
function clampCounts(terminal: HostTerminal, core: Core): void {
  const bound = (id: IFunctionIdentifier, of: (size: Size) => number) =>
    core.registerCsiHandler(id, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, of(terminal));
      return false;
    });
  for (const [final, of] of Object.entries(COUNT_BOUNDS)) bound({ final }, of);
  for (const [both, of] of Object.entries(COUNT_BOUNDS_INTERMEDIATE)) {
    bound({ intermediates: both.charAt(0), final: both.charAt(1) }, of);
  }
}
