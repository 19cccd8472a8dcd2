/** Decides whether pasted text needs confirmation before it reaches the shell. */

/** With bracketed paste the shell waits for Enter, so only text too long to be read line by line is asked about. */
const MANY_LINES = 20;

interface PasteQuestion {
  readonly lines: number;
  readonly text: string;
}

/** The question to ask; null when none is needed. `isBracketed`: the program has bracketed paste on. */
export function pasteQuestion(text: string, isBracketed: boolean): PasteQuestion | null {
  const lines = text.replace(LAST_END, '').split(/\r\n|\r|\n/).length;
  // Without bracketed paste, a single line runs too if it ends with a newline, as lines copied from a page often do.
  const isAsked = isBracketed ? lines > MANY_LINES : lines > 1 || LAST_END.test(text);
  return isAsked ? { lines, text } : null;
}

/** A newline at the end runs the last line; it does not start another. */
const LAST_END = /(\r\n|\r|\n)$/;
