/**
 * Bounds lists of colours. OSC 4 sets any number of colours, and OSC 104 resets them. xterm parses the list in
 * quadratic time: 60 KB of semicolons take half a second. The agent and the page both apply this.
 */
import { COLOUR_FIELDS_MAX } from '../limits.ts';

interface Parser {
  /** The handler returns whether the sequence was handled. */
  registerOscHandler(code: number, handle: (payload: string) => boolean): unknown;
}

/** OSC codes that set and reset colours of the palette. */
const COLOUR_LISTS = [4, 104];

/** Ignores a list that is longer than any program needs. */
export function boundColourLists(parser: Parser): void {
  for (const code of COLOUR_LISTS) parser.registerOscHandler(code, hasTooManyFields);
}

function hasTooManyFields(payload: string): boolean {
  let fields = 1;
  for (let at = payload.indexOf(';'); at >= 0; at = payload.indexOf(';', at + 1)) {
    if (++fields > COLOUR_FIELDS_MAX) return true;
  }
  return false;
}
