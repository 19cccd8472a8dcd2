/**
 * The divider line between old terminal content and the new shell below it, as terminal output. The agent draws one
 * below a screen it restored, the page below the screen of a session that is gone.
 */

/**
 * Resets everything the old program may have left active, and returns to the normal screen:
 *
 *   CAN        cancels an unfinished escape sequence at the end of the output
 *   DECSC      saves the cursor, because 1049l restores it: on the normal screen the one saved here, on the
 *              alternate screen the one from before the program switched
 *   DECSTR     resets margins, origin, insert, keypad, cursor keys, character sets, attributes, hidden cursor;
 *              unlike separate resets of margins and origin, it does not move the cursor
 *   the rest   resets what a soft reset does not include
 */
export const PROGRAM_RESET = [
  '\x18',
  '\x1b7\x1b[?1049l',
  '\x1b[!p',
  '\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l', // mouse reports
  '\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l', // their encodings
  '\x1b[?1l\x1b>\x1b[4l\x1b[20l\x1b[?7h\x1b[?45l\x1b[?25h',
  '\x1b[?1004l\x1b[?2004l\x1b[?2026l', // focus reports, bracketed paste, synchronised output
  '\x1b[0 q', // cursor shape
  '\x1b]8;;\x1b\\', // link
  '\x1b(B\x0f\x1b[0m',
].join('');

/** There is no text below; this removes the colours of empty cells. */
const CLEAR_BELOW = '\x1b[J';

export interface DividerPlace {
  readonly cols: number;
  /** Rows of the screen down to the last one with text. The divider goes below them, wherever the cursor is. */
  readonly usedRows: number;
}

/**
 * Follows PROGRAM_RESET, so it uses the terminal's default colours and is as readable as they are. In a narrow terminal
 * the sentence wraps instead of being cut.
 */
export function divider(sentence: string, { cols, usedRows }: DividerPlace): string {
  const rule = `── ${sentence} `.padEnd(cols, '─');
  const below = usedRows === 0 ? '\x1b[H' : `\x1b[${usedRows};1H\r\n`;
  return `${below}${CLEAR_BELOW}${rule}\r\n`;
}
