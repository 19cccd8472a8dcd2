/**
 * Keeps a terminal from doing what its output must not make it do: answer, or hang.
 *
 * Output may be replayed and may have several viewers, so an answer of a page would be typed into a shell
 * that did not ask, or be typed five times. The agent is the one answerer; a page swallows every
 * query. What a parser handler returns is whether the sequence is done with.
 */
import type { IFunctionIdentifier, IParser } from '@xterm/xterm';
import type { Size } from '../../protocol/frame.ts';
import { COUNT_BOUNDS, COUNT_BOUNDS_INTERMEDIATE } from '../../protocol/terminal/count-bounds.ts';
import { type CsiQuery, DEVICE_QUERIES, type DeviceQuery } from '../../protocol/terminal/device-queries.ts';

/** What is needed of a terminal, in the page or headless. */
export interface HostTerminal {
  readonly parser: IParser;
  readonly rows: number;
  readonly cols: number;
}

export function tameOutput(terminal: HostTerminal): void {
  swallowQueries(terminal.parser);
  clampCounts(terminal);
}

function swallowQueries(parser: IParser): void {
  for (const query of DEVICE_QUERIES) swallow(parser, query);
}

/** ENQ and APC have no handlers: xterm drops them. */
function swallow(parser: IParser, query: DeviceQuery): void {
  switch (query.kind) {
    case 'escape':
      parser.registerEscHandler({ final: query.final }, () => true);
      break;
    case 'csi':
      parser.registerCsiHandler(identifierOf(query.id), (parameters) => asksBy(query, parameters));
      break;
    case 'dcs':
      parser.registerDcsHandler(identifierOf(query.id), () => true);
      break;
    case 'osc':
      parser.registerOscHandler(query.code, (payload) => query.asks(payload));
      break;
  }
}

function asksBy({ asks }: CsiQuery, parameters: readonly (number | number[])[]): boolean {
  return asks?.(parameters.filter((parameter) => typeof parameter === 'number')) ?? true;
}

function identifierOf(id: string): IFunctionIdentifier {
  const [, prefix = '', intermediates = '', final = ''] = /^([<=>?]?)([ -/]*)([@-~])$/.exec(id) ?? [];
  return { prefix, intermediates, final };
}

/** The parameters as xterm's own handlers, which run after ours, will read them. */
interface RawParameters {
  readonly params: Int32Array;
}

interface Core {
  registerCsiHandler(id: IFunctionIdentifier, handle: (parameters: RawParameters) => boolean): void;
}

/** By the agent's own table, so that both show the same. The public parser hands out copies, which can be swallowed but not corrected; the core's are the real ones. */
function clampCounts(terminal: HostTerminal): void {
  const { _core: core } = terminal as unknown as { readonly _core: Core };
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
