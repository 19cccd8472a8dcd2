/**
 * Keeps a terminal from doing what its output must not make it do: answer, or hang.
 *
 * Output may be replayed and may have several viewers, so an answer of a page would be typed into a shell
 * that did not ask, or be typed five times. The agent is the one answerer; a page swallows every
 * query. What a parser handler returns is whether the sequence is done with.
 */
import type { IFunctionIdentifier, IParser } from '@xterm/xterm';
import type { Size } from '../../protocol/frame.ts';
import { COUNT_BOUNDS, COUNT_BOUNDS_INTERMEDIATE } from '../../protocol/sequence-limits.ts';

/** Sequences that do nothing but ask. */
const QUERIES: readonly IFunctionIdentifier[] = [
  { final: 'c' }, // DA1: what are you
  { prefix: '>', final: 'c' }, // DA2: which version
  { prefix: '=', final: 'c' }, // DA3: which unit
  { final: 'n' }, // DSR, CPR: are you well, where is the cursor
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' }, // DECRQM: is this mode set
  { prefix: '?', intermediates: '$', final: 'p' },
  { prefix: '>', final: 'q' }, // XTVERSION
  { prefix: '?', final: 'u' }, // kitty: which keyboard flags
];

/** Colours that are set and asked for by the same code: palette, foreground, background, cursor. */
const COLOUR_CODES = [4, 10, 11, 12];

/** Of the window operations these two are not reports: they push and pop the title. */
const TITLE_OPERATIONS = [22, 23];

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
  for (const query of QUERIES) parser.registerCsiHandler(query, () => true);
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, () => true); // DECRQSS
  for (const code of COLOUR_CODES) {
    parser.registerOscHandler(code, (data) => data.split(';').includes('?'));
  }
  parser.registerCsiHandler({ final: 't' }, ([operation]) => !TITLE_OPERATIONS.includes(Number(operation)));
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
