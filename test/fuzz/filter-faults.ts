/**
 * What the filters of `/terminal/ws` and `attach` must not do: let a query through, or depend on how the output was
 * split. The terminal behind them is a headless xterm that answers every query.
 */
import { Drawing } from '../../cli/attach/drawing.ts';
import { TerminalOutput } from '../../worker/api/single-terminal/terminal-output.ts';
import { allTellingTerminal, answersTo } from '../support/all-telling-terminal.ts';

type Filter = (bytes: Uint8Array<ArrayBuffer>) => string;

const FILTERS: Readonly<Record<string, () => Filter>> = {
  '/terminal/ws': () => {
    const filter = new TerminalOutput({ cols: 80, rows: 24 });
    return (bytes) => Buffer.from(filter.take(bytes)).toString('latin1');
  },
  attach: () => {
    const drawing = new Drawing(() => ({ cols: 80, rows: 24 }));
    return (bytes) => Buffer.from(drawing.take(bytes)).toString('latin1');
  },
};

/** Each cuts the output into pieces of so many bytes. */
const CUTS_BYTES = [1, 7];

/** One terminal for all: to make one takes longer than to show a stream. */
const terminal = allTellingTerminal();

export function filterFaults(stream: Uint8Array<ArrayBuffer>): string[] {
  return Object.entries(FILTERS).flatMap(([name, filterOf]) => {
    const whole = filterOf()(stream);
    const isStable = CUTS_BYTES.every((bytes) => inPieces(filterOf(), stream, bytes) === whole);
    const said = answersTo(terminal, Buffer.from(whole, 'latin1'));
    return [
      ...(isStable ? [] : [`the filter of ${name} depends on how output is cut`]),
      ...(said === '' ? [] : [`the filter of ${name} lets a query through`]),
    ];
  });
}

function inPieces(filter: Filter, stream: Uint8Array<ArrayBuffer>, bytes: number): string {
  let out = '';
  for (let at = 0; at < stream.length; at += bytes) out += filter(stream.slice(at, at + bytes));
  return out;
}
