/**
 * The line between what a terminal showed and the new shell below it, as output for that terminal. The agent draws one
 * below a screen it restored, the page below one whose session is gone.
 */

/**
 * Ends whatever the old program left begun, and leaves the normal screen:
 *
 *   CAN        half an escape sequence, were the output to end in one
 *   DECSC      so that 1049l, which restores the cursor, restores this one on the normal screen; on the
 *              alternate screen it restores the one from before the program switched
 *   DECSTR     margins, origin, insert, keypad, cursor keys, character sets, attributes, hidden cursor;
 *              unlike the resets of margins and origin by themselves, it does not move the cursor
 *   the rest   is what terminals do not count among a soft reset
 */
export const PROGRAM_RESET = [
  '\x18',
  '\x1b7\x1b[?1049l',
  '\x1b[!p',
  '\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l', // mouse reports
  '\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l', // and their encodings
  '\x1b[?1l\x1b>\x1b[4l\x1b[20l\x1b[?7h\x1b[?45l\x1b[?25h',
  '\x1b[?1004l\x1b[?2004l\x1b[?2026l', // focus reports, bracketed paste, held-back drawing
  '\x1b[0 q', // the cursor's shape
  '\x1b]8;;\x1b\\', // a link
  '\x1b(B\x0f\x1b[0m',
].join('');

/** Nothing with text is below; what is left there are colours of empty cells. */
const CLEAR_BELOW = '\x1b[J';

export interface DividerPlace {
  readonly cols: number;
  /** Rows of the screen down to the last one with text. The divider goes below them, wherever the cursor is. */
  readonly usedRows: number;
}

/** Follows PROGRAM_RESET, so it has the terminal's own colours and is as readable as they are. In a narrow terminal the sentence takes several lines rather than losing its end. */
export function divider(sentence: string, { cols, usedRows }: DividerPlace): string {
  const rule = `── ${sentence} `.padEnd(cols, '─');
  const below = usedRows === 0 ? '\x1b[H' : `\x1b[${usedRows};1H\r\n`;
  return `${below}${CLEAR_BELOW}${rule}\r\n`;
}
