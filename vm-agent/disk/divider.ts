/** The line between what a session showed before the agent was restarted and the new shell below it. */

export interface Restoration {
  /** When the session was restored; shown in the machine's own time zone, as its shells would. */
  readonly at: Date;
  /** About how much of the output before it is missing. */
  readonly lostBytes: number;
  readonly cols: number;
  /** Rows of the screen down to the last one with text. The divider goes below them, wherever the cursor is. */
  readonly usedRows: number;
}

/**
 * Ends whatever the old program left begun, and leaves the normal screen:
 *
 *   CAN        half an escape sequence, were the journal to end in one
 *   DECSC      so that 1049l, which restores the cursor, restores this one on the normal screen; on the
 *              alternate screen it restores the one from before the program switched
 *   DECSTR     margins, origin, insert, keypad, cursor keys, character sets, attributes, hidden cursor;
 *              unlike the resets of margins and origin by themselves, it does not move the cursor
 *   the rest   is what terminals do not count among a soft reset
 */
export const PROGRAM_RESET: Uint8Array = Buffer.from(
  [
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
  ].join(''),
);

/** Nothing with text is below; what is left there are colours of empty cells. */
const CLEAR_BELOW = '\x1b[J';
const DIM = '\x1b[2m';
const PLAIN = '\x1b[0m';

/** Follows PROGRAM_RESET. */
export function restoredDivider(restoration: Restoration): Uint8Array {
  const { at, lostBytes, cols, usedRows } = restoration;
  const lost = lostBytes > 0 ? [`about ${amount(lostBytes)} of output lost`] : [];
  const sentence = [`restored ${minute(at)}`, ...lost, 'new shell below'].join(' · ');
  const rule = `── ${sentence} `.padEnd(cols, '─');
  const below = usedRows === 0 ? '\x1b[H' : `\x1b[${usedRows};1H\r\n`;
  // In a narrow terminal the sentence takes several lines rather than losing its end.
  return Buffer.from(`${below}${CLEAR_BELOW}${DIM}${rule}${PLAIN}\r\n`);
}

/**
 * How many rows a screen's text takes, at most. Long rows were joined, so they are counted by their width. What may be
 * two columns wide counts as that: one row too many is an empty line, and one too few would be overwritten.
 */
export function rowsOf(
  text: string,
  { cols, rows }: { readonly cols: number; readonly rows: number },
): number {
  if (text === '') return 0;
  const lines = text.replace(/\n$/, '').split('\n');
  const used = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widestOf(line) / cols)), 0);
  return Math.min(used, rows);
}

function widestOf(line: string): number {
  let width = 0;
  for (const character of line) width += NARROW.test(character) ? 1 : 2;
  return width;
}

/** Letters of alphabets, dashes and quotes, box drawing and blocks. */
const NARROW = /[ -\u10ff\u2010-\u2027\u2500-\u259f]/;

function minute(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

function amount(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
