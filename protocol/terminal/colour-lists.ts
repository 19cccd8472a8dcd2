/**
 * Bounds lists of colours. OSC 4 sets any number of colours and OSC 104 resets them; xterm takes the list apart from its front, in
 * time that grows with the square of its length: 60 KB of semicolons take half a second. The agent and the page both need this.
 */
import { COLOUR_FIELDS_MAX } from '../limits.ts';

interface Parser {
  /** What the handler returns is whether the sequence is done with. */
  registerOscHandler(code: number, handle: (payload: string) => boolean): unknown;
}

/** Of OSC sequences: set colours of the palette, and reset them. */
const COLOUR_LISTS = [4, 104];

/** A longer list than any program has use for is ignored as a whole. */
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
